"""Tests of snapshots of a real client without hooks: Chorus reads its session file, or what it prints."""

import json
import os
import subprocess
import sys
import time

import pytest

from chorus.base import config
from chorus.keep.snapshots.commits import Feed
from chorus.keep.snapshots.edits import edits_of
from chorus.keep.snapshots.repository import SnapshotRepository
from chorus.keep.snapshots.snapshots import snapshots_of
from chorus.steer.edits.snapshot_queue import AFTERWARDS_MS
from chorus.steer.hooks.home import Home
from chorus.steer.workspaces.registry import add_workspace
from tests.client.file_truth import CHECKPOINTS
from tests.client.test_files import NOTEBOOK, call, edit, talking, tell
from tests.show.server.serving import until
from tests.support.scripted_api import ScriptedApi

FREELY = ("--permission-mode", "bypassPermissions")


@pytest.fixture
def api():
    with ScriptedApi([{"type": "text", "text": "Done."}]) as api:
        yield api


@pytest.fixture
def home(tmp_path, client):
    """A home without hooks, and a workspace that the person named."""
    client.environment |= {CHECKPOINTS: "true", "IS_SANDBOX": "1"}
    with config.edit(tmp_path / "chorus") as settings:
        add_workspace(settings, client.workspace)
    return Home(tmp_path / "chorus")


def edits(home):
    """Returns what agents changed, in order: path, bytes before and after, turn."""
    (workspace,) = config.load(home.root).workspaces
    store = SnapshotRepository(home.root, workspace.id)
    found = [
        (
            each.path.decode(),
            *(store.reader.read(side.id, "blob") if side else None for side in (each.old, each.new)),
            each.commit.facts.turn,
        )
        for each in (edits_of(store, None) if store.exists else ())
    ]
    store.reader.close()
    return found


def facts(home):
    (workspace,) = config.load(home.root).workspaces
    store = SnapshotRepository(home.root, workspace.id)
    return [commit.facts for commit in snapshots_of(store, None)]


def test_edits_of_a_client_without_hooks_are_stored_afterwards(client, api, home, server):
    """Edit, Write, NotebookEdit and a shell command of `claude -p` have their bytes before and after."""
    work = client.workspace
    (work / "old.txt").write_bytes(b"before\r\nend\r\n")
    (work / "note.ipynb").write_text(json.dumps(NOTEBOOK))
    tell(
        api,
        call("Read", file_path=str(work / "old.txt")),
        edit(work / "old.txt", "before", "after"),
        call("Write", file_path=str(work / "new.txt"), content="new\n"),
        call("Read", file_path=str(work / "note.ipynb")),
        call("NotebookEdit", notebook_path=str(work / "note.ipynb"), cell_id="c1", new_source="2"),
        call("Bash", command="echo shell > shell.txt", description="write"),
    )
    client.run("-p", "Change the files.", *FREELY)
    until(lambda: len(edits(home)) == 4)

    assert edits(home) == [
        ("old.txt", b"before\r\nend\r\n", b"after\r\nend\r\n", 1),
        ("new.txt", None, b"new\n", 1),
        ("note.ipynb", json.dumps(NOTEBOOK).encode(), (work / "note.ipynb").read_bytes(), 1),
        ("shell.txt", None, b"shell\n", 1),
    ]
    assert {each.feed for each in facts(home)} == {Feed.FILE}


def test_a_resumed_session_goes_on_and_repeats_nothing(client, api, home, server):
    """The turns of a resumed and of a forked session are counted on; the copied history is stored once."""
    place = client.workspace / "a.txt"
    place.write_bytes(b"one\n")
    tell(api, call("Read", file_path=str(place)), edit(place, "one", "two"))
    session = client.run("-p", "First", *FREELY)["session_id"]
    until(lambda: len(edits(home)) == 1)
    tell(api, call("Read", file_path=str(place)), edit(place, "two", "three"))
    client.run("-p", "Second", "--resume", session, *FREELY)
    until(lambda: len(edits(home)) == 2)
    tell(api, call("Read", file_path=str(place)), edit(place, "three", "four"))
    client.run("-p", "Third", "--resume", session, "--fork-session", *FREELY)
    until(lambda: len(edits(home)) == 3)

    assert [each[:3] for each in edits(home)] == [
        ("a.txt", b"one\n", b"two\n"),
        ("a.txt", b"two\n", b"three\n"),
        ("a.txt", b"three\n", b"four\n"),
    ]
    assert [each[3] for each in edits(home)[:2]] == [1, 2]


def test_a_rewind_is_not_an_edit_of_the_agent(client, api, home, server):
    """Files that a rewind put back are found by the next edit, and belong to no call."""
    place = client.workspace / "a.txt"
    place.write_bytes(b"one\nend\n")
    with talking(client) as talk:
        tell(api, call("Read", file_path=str(place)), edit(place, "one", "two"))
        talk.say("First")
        until(lambda: len(edits(home)) == 1)
        # What changes right after a turn still belongs to it; no person rewinds so quickly.
        time.sleep(4 * AFTERWARDS_MS / 1000)
        talk.rewind()
        assert place.read_bytes() == b"one\nend\n"
        tell(api, call("Read", file_path=str(place)), edit(place, "one", "three"))
        talk.say("Second")
        until(lambda: len(edits(home)) == 2)

    assert edits(home) == [
        ("a.txt", b"one\nend\n", b"two\nend\n", 1),
        ("a.txt", b"one\nend\n", b"three\nend\n", 2),
    ]


def test_what_a_client_prints_is_followed_through_a_pipe(client, api, home):
    """The edits of `claude -p --output-format stream-json | chorus sync -` are stored, marked as seen in a stream."""
    place = client.workspace / "a.txt"
    place.write_bytes(b"one\n")
    tell(api, call("Read", file_path=str(place)), edit(place, "one", "two"))
    printed = ["-p", "Change it.", "--output-format", "stream-json", "--verbose", "--no-session-persistence"]
    with subprocess.Popen(
        [client.binary, *printed, *FREELY], cwd=client.workspace, env=client.environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as source:  # fmt: skip
        following = [sys.executable, "-m", "chorus", "sync", "-", "--vault", str(home.root)]
        subprocess.run(following, stdin=source.stdout, env=os.environ, check=True, capture_output=True, timeout=120)

    assert [each[:3] for each in edits(home)] == [("a.txt", b"one\n", b"two\n")]
    assert {each.feed for each in facts(home)} == {Feed.STREAM}
