"""Tests that the repositories of snapshots stay bounded."""

import subprocess

import pytest

from chorus.keep.snapshots.commits import SnapshotKind
from chorus.keep.snapshots.retention import forget_everywhere, forget_snapshots, holdings, prune
from chorus.keep.snapshots.snapshots import Snapshots, snapshots_of
from tests.keep.snapshots.conftest import CONVERSATION

DAY_MS = 86_400_000
WORKSPACE = "project-0123abcd"


def other_conversation(workspace, name: str, data: bytes) -> None:
    from msgspec import structs

    workspace.write("other", data)
    facts = structs.replace(workspace.facts(SnapshotKind.AFTER), conversation=name)
    workspace.snapshots.take_files(["other"], facts, "other")


def test_what_is_forgotten_leaves_no_object(workspace):
    """After forgetting a conversation, no object of it is in the repository, and others are whole."""
    taken = workspace.edit("file", "a secret of the person")
    other_conversation(workspace, "second", b"stays")
    blob = workspace.own_git("rev-parse", f"{taken.id}:file").strip()
    forget_snapshots(workspace.home, WORKSPACE, {CONVERSATION})

    assert workspace.store.reader.find(blob) is None
    assert list(snapshots_of(workspace.store, CONVERSATION)) == []
    assert len(list(snapshots_of(workspace.store, "second"))) == 1
    assert workspace.store.check() == []


def test_old_conversations_go_first(workspace):
    """Snapshots are removed after some time, and the oldest ones also if the space is used up."""
    workspace.edit("file", bytes(range(256)) * 4000)
    workspace.time_ms += 100 * DAY_MS
    other_conversation(workspace, "second", b"x")

    assert prune(workspace.home, now_ms=workspace.time_ms, days=365, max_mb=1000) == 0
    assert prune(workspace.home, now_ms=workspace.time_ms, days=90, max_mb=1000) == 1
    assert [each.conversations for each in holdings(workspace.home)] == [1]
    assert prune(workspace.home, now_ms=workspace.time_ms, days=90, max_mb=0) == 1
    assert [each.snapshots for each in holdings(workspace.home)] == [0]


def test_snapshots_go_on_after_something_was_forgotten(workspace):
    """A workspace whose conversation was forgotten has snapshots again at its next change."""
    workspace.write("file", "one")
    workspace.end_turn()
    workspace.write("file", "two")
    workspace.end_turn()
    forget_snapshots(workspace.home, WORKSPACE, {CONVERSATION})
    assert workspace.end_turn() is None
    workspace.write("file", "three")

    assert workspace.end_turn() is not None
    assert workspace.store.check() == []


@pytest.mark.parametrize("is_packed", [False, True])
def test_a_conversation_is_forgotten_in_every_workspace(workspace, is_packed):
    """A conversation that worked below several named folders leaves no object in any of their repositories."""
    outer = Snapshots(workspace.home, "outer-1", workspace.folder.parent)
    for each in (workspace.snapshots, outer):
        workspace.write("file", "a private word")
        each.take_files([str(workspace.folder / "file")], workspace.facts(SnapshotKind.AFTER), "Edit")
        if is_packed:
            with each.store.lock():
                each.store.collect_garbage()
    forget_everywhere(workspace.home, {CONVERSATION})

    for each in (workspace.snapshots, outer):
        call = ["git", "--git-dir", str(each.store.git_dir), "cat-file", "--batch-all-objects", "--batch"]
        assert subprocess.run(call, capture_output=True, check=True).stdout == b""
    outer.close()


def test_many_loose_objects_are_packed(workspace, monkeypatch):
    """Removing old snapshots also packs what stays, so the number of files is bounded."""
    monkeypatch.setattr("chorus.keep.snapshots.repository._LOOSE_MANY", 300)
    for number in range(10):
        for part in range(100):
            workspace.write(f"{part}/file", f"{number} {part}\n")
        workspace.end_turn()
    assert workspace.store.is_untidy
    prune(workspace.home, now_ms=workspace.time_ms, days=90, max_mb=1_000)

    assert not workspace.store.is_untidy
    assert workspace.store.check() == []
