"""Tests of snapshots around the edits of the real client."""

import json
import uuid

import pytest

from chorus.base import config
from chorus.base.config import Workspace
from chorus.core.protocol.launch import Launch
from chorus.keep.snapshots.commits import Feed, SnapshotKind
from chorus.keep.snapshots.edits import edits_of
from chorus.keep.snapshots.repository import SnapshotRepository
from chorus.keep.snapshots.snapshots import snapshots_of
from chorus.keep.snapshots.trees import TreeEntry
from chorus.steer.runs.attached import Attached
from tests.cli.commands import run as chorus
from tests.client.test_run import bash, calls, desk, says, told
from tests.support.running import WORKSPACE, events_until, is_ended

__all__ = ["desk"]

ALLOWED = ("Bash", "Edit", "Write", "Read", "NotebookEdit")


@pytest.fixture
def finished(desk):
    """Runs the client with these answers in a workspace that the person named; returns the desk, store and session."""

    def work(*answers, files=()):
        person = desk(*answers, says("Done."))
        for name, data in dict(files).items():
            (person.place.work / name).write_bytes(data)
        with config.edit(person.place.home) as settings:
            settings.workspaces.append(Workspace(id=WORKSPACE, path=str(person.place.work), is_named=True))
        with (
            person.running(is_once=True, launch=Launch(session=str(uuid.uuid4()), allowed_tools=ALLOWED)) as folder,
            Attached(folder) as attached,
        ):
            told(attached, "Change the files.")
            events_until(attached, is_ended)
        return person, SnapshotRepository(person.place.home, WORKSPACE), folder.read().session

    return work


def blob(store: SnapshotRepository, entry: TreeEntry | None) -> bytes | None:
    return store.reader.read(entry.id, "blob") if entry else None


def test_every_edit_of_a_run_has_its_snapshots(finished):
    """Write, Edit and a shell command each store the bytes before and after, and the call, turn and prompt."""
    person, store, session = finished(
        calls(("toolu_w", "Write", {"file_path": "new.txt", "content": "one\n"})),
        calls(("toolu_r", "Read", {"file_path": "old.txt"})),
        calls(("toolu_e", "Edit", {"file_path": "old.txt", "old_string": "before", "new_string": "after"})),
        calls(bash("toolu_b", "printf 'by a shell\\n' > shell.txt")),
        files={"old.txt": b"before\r\nend"},
    )
    edits = {edit.path: edit for edit in edits_of(store, session)}

    assert {edit.commit.facts.call for edit in edits.values()} == {"toolu_w", "toolu_e", "toolu_b"}
    assert {edit.commit.facts.turn for edit in edits.values()} == {1}
    assert len({edit.commit.facts.prompt for edit in edits.values()}) == 1
    for path, edit in edits.items():
        assert blob(store, edit.new) == (person.place.work / path.decode()).read_bytes()
    assert blob(store, edits[b"old.txt"].old) == b"before\r\nend"
    assert {commit.facts.feed for commit in snapshots_of(store, session)} == {Feed.CONTROL}
    assert store.check() == []


def test_a_turn_of_the_real_client_is_undone_around_a_persons_work(finished):
    """If a person edits a file after a run, undo removes the changes of the agent and nothing else."""
    person, store, session = finished(
        calls(("toolu_r", "Read", {"file_path": "list.txt"})),
        calls(("toolu_e", "Edit", {"file_path": "list.txt", "old_string": "two", "new_string": "2"})),
        calls(bash("toolu_b", "echo made > made.txt")),
        files={"list.txt": b"one\ntwo\nthree\nfour\nfive\nsix\n"},
    )
    place = person.place.work / "list.txt"
    place.write_text(place.read_text() + "seven\n")
    done = chorus("undo", session, "--turn", "1", "--merge", "--yes")

    assert done.exit_code == 0, done.stderr
    assert place.read_text() == "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
    assert not (person.place.work / "made.txt").exists()
    assert any(commit.facts.kind is SnapshotKind.UNDO for commit in snapshots_of(store, session))


def test_files_over_time_come_from_snapshots_first(finished):
    """Versions of a run are exact by its snapshots, also those of a file that only a shell command wrote."""
    person, _, session = finished(
        calls(("toolu_r", "Read", {"file_path": "old.txt"})),
        calls(("toolu_e", "Edit", {"file_path": "old.txt", "old_string": "before", "new_string": "after"})),
        calls(bash("toolu_b", "printf 'by a shell\\n' > shell.txt; printf 'more\\r\\n' >> old.txt")),
        files={"old.txt": b"before\r\nend\r\n"},
    )
    old = json.loads(chorus("files", session, "old.txt", "--json").stdout)["versions"]
    shell = json.loads(chorus("files", session, "shell.txt", "--json").stdout)["versions"]

    assert [(each["certainty"], each["source"], each["call"]) for each in old] == [
        ("exact", "snapshot", "toolu_r"),
        ("exact", "snapshot", "toolu_e"),
        ("exact", "snapshot", "toolu_b"),
    ]
    assert [(each["source"], each["tool"]) for each in shell if not each["absent"]] == [("snapshot", "Bash")]
    restored = person.place.home / "restored"
    assert chorus("files", session, "old.txt", "--at", "toolu_e", "--restore", str(restored)).exit_code == 0
    assert restored.read_bytes() == b"after\r\nend\r\n"
