"""Tests that every tool of the real client, sub-agents in one file and resumed sessions have exact snapshots."""

import json
import subprocess
import uuid

import pytest

from chorus.base import config
from chorus.base.config import Workspace
from chorus.core.protocol.launch import Launch
from chorus.keep.snapshots.commits import SnapshotKind
from chorus.keep.snapshots.edits import edits_of
from chorus.keep.snapshots.repository import SnapshotRepository
from chorus.keep.snapshots.snapshots import snapshots_of
from chorus.keep.snapshots.trees import walk_tree
from chorus.steer.runs.attached import Attached
from tests.cli.commands import run as chorus
from tests.client.test_run import bash, calls, desk, says, told
from tests.client.test_snapshots import ALLOWED, blob
from tests.support.running import WORKSPACE, events_until, is_ended

__all__ = ["desk"]

NOTEBOOK = {
    "cells": [
        {"cell_type": "code", "id": "c1", "source": ["x = 1"], "metadata": {}, "outputs": [], "execution_count": None}
    ],
    "metadata": {"language_info": {"name": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}


@pytest.fixture
def named(desk):
    """Returns a function that makes a desk whose workspace a person named, with these files."""

    def make(*answers, files):
        person = desk(*answers)
        for name, data in files.items():
            (person.place.work / name).write_bytes(data)
        with config.edit(person.place.home) as settings:
            settings.workspaces.append(Workspace(id=WORKSPACE, path=str(person.place.work), is_named=True))
        return person

    return make


def run_once(person, prompt, launch):
    with person.running(is_once=True, launch=launch) as folder, Attached(folder) as attached:
        told(attached, prompt)
        events_until(attached, is_ended)
    return folder.read().session


def newest_is_on_disk(store, session, work):
    """Checks that the last version of each file is what is on disk now, and that each line of edits has no gap."""
    last = {edit.path: edit for edit in edits_of(store, session)}
    for path, edit in last.items():
        place = work / path.decode()
        assert blob(store, edit.new) == (place.read_bytes() if place.exists() else None), path
    return {path.decode() for path in last}


def test_every_tool_and_a_resumed_session(named):
    """Write, Edit, NotebookEdit and shell commands of two runs of one session: versions, turns and undo are exact."""
    person = named(
        calls(("t_r", "Read", {"file_path": "book.ipynb"})),
        calls(("t_n", "NotebookEdit", {"notebook_path": "book.ipynb", "cell_id": "c1", "new_source": "x = 2"})),
        calls(("t_w", "Write", {"file_path": "deep/new.txt", "content": "one\n"})),
        calls(bash("t_b", "printf 'a\\n' > shell.txt; rm gone.txt; chmod +x tool.sh; mv old.txt moved.txt")),
        says("Done."),
        calls(("t_r2", "Read", {"file_path": "deep/new.txt"})),
        calls(("t_e", "Edit", {"file_path": "deep/new.txt", "old_string": "one", "new_string": "two"})),
        calls(bash("t_b2", "printf 'b\\n' >> shell.txt")),
        says("Done again."),
        files={
            "book.ipynb": json.dumps(NOTEBOOK).encode(),
            "gone.txt": b"precious\r\n",
            "tool.sh": b"#!/bin/sh\n",
            "old.txt": b"moving\n",
        },
    )
    work = person.place.work
    session = str(uuid.uuid4())
    run_once(person, "Change the files.", Launch(session=session, allowed_tools=ALLOWED))
    store = SnapshotRepository(person.place.home, WORKSPACE)
    assert newest_is_on_disk(store, session, work) == {
        "book.ipynb", "deep/new.txt", "shell.txt", "gone.txt", "tool.sh", "old.txt", "moved.txt",
    }  # fmt: skip
    run_once(person, "And again.", Launch(session=session, resumes=session, allowed_tools=ALLOWED))
    newest_is_on_disk(store, session, work)
    turns = {(edit.commit.facts.call, edit.commit.facts.turn) for edit in edits_of(store, session)}
    assert {("t_n", 1), ("t_w", 1), ("t_b", 1), ("t_e", 2), ("t_b2", 2)} <= turns
    (work / "shell.txt").write_text("by a person\na\nb\n")
    done = chorus("undo", session, "--turn", "1", "--merge", "--yes")

    assert done.exit_code == 0, done.stderr
    assert (work / "gone.txt").read_bytes() == b"precious\r\n" and (work / "old.txt").read_bytes() == b"moving\n"
    assert json.loads((work / "book.ipynb").read_text())["cells"][0]["source"] == ["x = 1"]
    assert not (work / "tool.sh").stat().st_mode & 0o100 and not (work / "moved.txt").exists()
    assert "by a person" in (work / "shell.txt").read_text()
    assert (work / "deep" / "new.txt").read_text() == "two\n"
    assert any(commit.facts.kind is SnapshotKind.UNDO for commit in snapshots_of(store, session))
    assert store.check() == []
    store.reader.close()


def test_no_turn_loses_what_is_on_disk(named):
    """After a run, everything in the folder is in the newest snapshots, byte for byte."""
    person = named(
        calls(bash("t_1", 'for n in 1 2 3 4 5; do printf "$n\\r\\n" > f$n.txt; done; ln -s f1.txt link')),
        calls(bash("t_2", "printf '\\377\\000' > $(printf 'b\\377in')  ; git init -q . ; printf x > after-init")),
        says("Done."),
        files={"start.txt": b"start"},
    )
    session = run_once(person, "Go.", Launch(session=str(uuid.uuid4()), allowed_tools=ALLOWED))
    store = SnapshotRepository(person.place.home, WORKSPACE)
    newest = next(snapshots_of(store, session))
    found = dict(walk_tree(store.reader, newest.tree))

    assert {b"f1.txt", b"f5.txt", b"link", b"b\xffin", b"after-init"} <= set(found)
    assert store.reader.read(found[b"b\xffin"].id, "blob") == b"\xff\x00"
    assert found[b"link"].mode == "120000"
    assert store.check() == []
    store.reader.close()


def agent(number):
    given = {"description": f"agent {number}", "prompt": "Change a line.", "subagent_type": "general-purpose"}
    return (f"t_a{number}", "Agent", given)


def test_sub_agents_that_change_one_file_at_the_same_time(named):
    """Each change is stored once, sub-agents have lines of their own, and the last version is what is on disk."""
    person = named(
        calls(agent(1), agent(2)),
        # Two commands that replace a file at the same moment could lose a change themselves.
        calls(bash("t_1", "flock . sed -i s/one/uno/ list.txt")),
        calls(bash("t_2", "flock . sed -i s/two/due/ list.txt")),
        says("Done."),
        says("Done."),
        says("All done."),
        files={"list.txt": b"one\ntwo\nthree\n"},
    )
    launch = Launch(session=str(uuid.uuid4()), allowed_tools=(*ALLOWED, "Agent", "Task"))
    session = run_once(person, "Go.", launch)
    store = SnapshotRepository(person.place.home, WORKSPACE)
    edits = edits_of(store, session)
    place = person.place.work / "list.txt"

    assert place.read_bytes() == b"uno\ndue\nthree\n"
    assert blob(store, edits[0].old) == b"one\ntwo\nthree\n"
    assert place.read_bytes() in {blob(store, edit.new) for edit in edits}
    assert {edit.commit.facts.call for edit in edits if edit.commit.facts.call} <= {"t_1", "t_2", "t_a1", "t_a2"}
    for ref, tip in store.refs(session).items():
        assert all(len(commit.parents) <= 1 for commit in store.log(tip)), ref
    assert store.check() == []
    store.reader.close()


def test_a_sub_agent_in_a_worktree(named):
    """What the shell of a sub-agent changes in its own worktree is stored as its change, with the file before."""
    alone = {**agent(1)[2], "isolation": "worktree"}
    person = named(
        calls(("t_a1", "Agent", alone)),
        calls(bash("t_1", "sed -i s/one/uno/ list.txt; printf new > made.txt")),
        says("Done."),
        says("Done."),
        says("All done."),
        files={"list.txt": b"one\ntwo\nthree\n"},
    )
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for step in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", "first"]):
        subprocess.run(["git", *step], cwd=person.place.work, check=True)
    launch = Launch(session=str(uuid.uuid4()), allowed_tools=(*ALLOWED, "Agent", "Task"))
    session = run_once(person, "Go.", launch)
    store = SnapshotRepository(person.place.home, WORKSPACE)
    found = {edit.path.rpartition(b"/")[2]: edit for edit in edits_of(store, session)}

    assert set(found) == {b"list.txt", b"made.txt"}
    assert blob(store, found[b"list.txt"].old) == b"one\ntwo\nthree\n"
    assert {edit.commit.facts.call for edit in found.values()} == {"t_1"}
    assert newest_is_on_disk(store, session, person.place.work)
    assert store.check() == []
    store.reader.close()
