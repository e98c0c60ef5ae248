"""Tests that undo restores what an agent changed, and nothing else."""

import subprocess
from contextlib import suppress

import pytest

from chorus.errors import ChorusError
from chorus.keep.snapshots.commits import SnapshotKind
from chorus.keep.snapshots.edits import edits_of, files_of
from chorus.keep.snapshots.snapshots import snapshots_of
from chorus.keep.snapshots.undo import Outcome, plan_undo, refuse_if_nothing, undo
from tests.keep.snapshots.conftest import CONVERSATION


def undone(workspace, *, merge: bool = True, **which) -> dict[bytes, Outcome]:
    """Undoes edits of the conversation and returns what was planned for each file."""
    plans = plan_undo(workspace.store, workspace.folder, edits_of(workspace.store, CONVERSATION, **which))
    before, after = workspace.facts(SnapshotKind.BEFORE), workspace.facts(SnapshotKind.UNDO)
    undo(workspace.snapshots, plans, before, after, merge=merge)
    return {each.path: each.outcome for each in plans}


def test_a_call_is_undone_to_the_byte(workspace):
    """A file that did not change after the call gets exactly its old bytes and mode back."""
    place = workspace.write("tool.sh", b"old\r\n")
    place.chmod(0o755)
    workspace.edit("tool.sh", b"new\n", call="one")

    assert undone(workspace, call="one") == {b"tool.sh": Outcome.RESTORED}
    assert place.read_bytes() == b"old\r\n"
    assert place.stat().st_mode & 0o111


@pytest.mark.parametrize(
    ("before", "then", "after"),
    [(0o600, 0o600, 0o600), (0o664, 0o664, 0o664), (0o750, 0o640, 0o750), (0o600, 0o700, 0o600)],
    ids=["private", "of a group", "made a file", "made a program"],
)
def test_a_file_stays_open_to_the_same_users(workspace, before, then, after):
    """Undo changes who may run a file, if the agent did, and never who may read or write it."""
    place = workspace.write("notes", "old\n")
    place.chmod(before)
    workspace.end_turn()
    workspace.write("notes", "by a shell\n")
    place.chmod(then)
    workspace.end_turn()

    assert undone(workspace) == {b"notes": Outcome.RESTORED}
    assert place.read_text() == "old\n"
    assert place.stat().st_mode & 0o777 == after


def test_a_call_whose_id_begins_another_one_is_undone_alone(workspace):
    """The whole id of a call names no other one, and the beginning of several names none."""
    for number in (1, 10):
        workspace.edit(f"file{number}", "made by the agent", call=f"toolu_{number}")

    with pytest.raises(ChorusError, match="2 calls begin so"):
        undone(workspace, call="tool")
    assert undone(workspace, call="toolu_1") == {b"file1": Outcome.DELETED}
    assert undone(workspace, call="toolu_10") == {b"file10": Outcome.DELETED}


def test_created_files_are_deleted_and_deleted_files_come_back(workspace):
    """Undo deletes files that the agent created, and restores files that it deleted, with their folder."""
    workspace.write("gone/file", "precious")
    workspace.edit("new", "made by the agent", call="one")
    workspace.edit("gone/file", None, call="two")
    (workspace.folder / "gone").rmdir()

    assert undone(workspace) == {b"new": Outcome.DELETED, b"gone/file": Outcome.RESTORED}
    assert not (workspace.folder / "new").exists()
    assert (workspace.folder / "gone" / "file").read_text() == "precious"


def test_later_work_of_a_person_stays(workspace):
    """If a person changed the file later, undo removes only the agent's lines."""
    lines = "".join(f"line {number}\n" for number in range(20))
    workspace.write("file", lines)
    workspace.edit("file", lines.replace("line 3\n", "by the agent\n"))
    workspace.write("file", lines.replace("line 3\n", "by the agent\n") + "by a person\n")

    assert undone(workspace, merge=False) == {b"file": Outcome.MERGED}
    assert (workspace.folder / "file").read_text().count("by the agent") == 1
    assert undone(workspace) == {b"file": Outcome.MERGED}
    assert (workspace.folder / "file").read_text() == lines + "by a person\n"


def test_what_a_person_did_between_two_calls_stays(workspace):
    """Undo of two calls keeps a person's change that came between them."""
    workspace.write("file", "".join(f"{number}\n" for number in range(30)))
    text = (workspace.folder / "file").read_text()
    workspace.edit("file", text.replace("2\n", "two\n", 1), call="one")
    person = (workspace.folder / "file").read_text().replace("15\n", "fifteen\n")
    workspace.write("file", person)
    workspace.edit("file", person.replace("28\n", "twenty-eight\n"), call="two")
    undone(workspace, turn=1)

    assert (workspace.folder / "file").read_text() == text.replace("15\n", "fifteen\n")


def test_a_conflict_is_named_and_not_touched(workspace):
    """If a person later changed the same lines, the file stays as it is."""
    workspace.write("file", "old\n")
    workspace.edit("file", "by the agent\n")
    workspace.write("file", "by a person\n")

    assert undone(workspace) == {b"file": Outcome.CONFLICT}
    assert (workspace.folder / "file").read_text() == "by a person\n"
    with pytest.raises(ChorusError, match="nothing can be undone"):
        refuse_if_nothing(plan_undo(workspace.store, workspace.folder, edits_of(workspace.store, CONVERSATION)))


def test_what_is_undone_already_is_no_conflict(workspace):
    """A file that was undone, or that a person put back, is as before: created, changed and deleted ones alike."""
    workspace.write("file", "old")
    workspace.write("gone", "precious")
    workspace.edit("new", "made by the agent", call="one")
    workspace.edit("file", "other", call="two")
    workspace.edit("gone", None, call="three")
    undone(workspace)

    plans = plan_undo(workspace.store, workspace.folder, edits_of(workspace.store, CONVERSATION))
    assert {each.path: each.outcome for each in plans} == dict.fromkeys((b"new", b"file", b"gone"), Outcome.NOTHING)


def test_an_undo_can_be_undone(workspace):
    """The state before an undo is a snapshot, so its content is not lost."""
    workspace.write("file", "old")
    workspace.edit("file", "new")
    undone(workspace)
    newest = next(iter(workspace.store.log(workspace.store.tip(f"refs/chorus/{CONVERSATION}/main"))))

    assert newest.facts.kind is SnapshotKind.UNDO
    assert workspace.own_git("show", f"{newest.parents[0]}:file") == "new"


def test_a_link_that_appears_is_not_followed(workspace, tmp_path):
    """A folder that became a link after the edit is not written through."""
    workspace.write("folder/file", "old")
    workspace.edit("folder/file", "new")
    (workspace.folder / "folder" / "file").unlink()
    (workspace.folder / "folder").rmdir()
    target = tmp_path / "target"
    target.mkdir()
    (target / "file").write_text("new")
    (workspace.folder / "folder").symlink_to(target)

    assert undone(workspace) == {b"folder/file": Outcome.CONFLICT}
    assert (target / "file").read_text() == "new"


def command(workspace, *, turn: int = 1, **files) -> None:
    """Does what a shell command does: `files` are paths with their new content, None for a file that is gone."""
    workspace.snapshots.take_changes(workspace.facts(SnapshotKind.BEFORE, turn=turn), "before")
    for path, data in files.items():
        if data is None:
            (workspace.folder / path).unlink()
            if (workspace.folder / path).parent != workspace.folder:
                (workspace.folder / path).parent.rmdir()
        else:
            workspace.write(path, data)
    workspace.snapshots.take_changes(workspace.facts(SnapshotKind.AFTER, turn=turn, call=f"c{turn}"), "after")


def test_a_file_and_a_folder_that_changed_places_change_back(workspace):
    """If a command put a file in place of a folder, or the other way round, both can be undone, and that again."""
    workspace.write("lib/deep", "was a folder")
    workspace.write("file", "was a file")
    command(workspace)
    command(workspace, **{"lib/deep": None, "lib": "now a file", "file": None, "file/deep": "now a folder"})
    there = {path: data for path, data in workspace.state().items() if not path.startswith(".git")}

    assert set(undone(workspace).values()) <= {Outcome.RESTORED, Outcome.DELETED}
    assert (workspace.folder / "lib" / "deep").read_text() == "was a folder"
    assert (workspace.folder / "file").read_text() == "was a file"
    newest = next(each for each in snapshots_of(workspace.store, CONVERSATION) if each.facts.kind is SnapshotKind.UNDO)
    plans = plan_undo(workspace.store, workspace.folder, list(files_of(workspace.store, newest)))
    undo(
        workspace.snapshots, plans, workspace.facts(SnapshotKind.BEFORE), workspace.facts(SnapshotKind.UNDO), merge=True
    )

    assert {path: data for path, data in workspace.state().items() if not path.startswith(".git")} == there


def test_a_folder_with_a_persons_file_does_not_give_way(workspace):
    """If somebody put a file into a folder that the agent made, the folder and that file stay."""
    workspace.write("file", "was a file")
    command(workspace)
    command(workspace, **{"file": None, "file/deep": "now a folder"})
    workspace.write("file/of a person", "precious")
    plans = plan_undo(workspace.store, workspace.folder, edits_of(workspace.store, CONVERSATION))
    before, after = workspace.facts(SnapshotKind.BEFORE), workspace.facts(SnapshotKind.UNDO)
    done = undo(workspace.snapshots, plans, before, after, merge=True)

    assert {each.path: each.outcome for each in done} == {b"file": Outcome.FAILED, b"file/deep": Outcome.DELETED}
    assert (workspace.folder / "file" / "of a person").read_text() == "precious"


def test_on_a_full_disk_files_that_need_a_merge_stay_as_they_are(small_disk, workspace):
    """A plan names the files that cannot be merged now, and has the others."""
    subprocess.run(["mount", "-o", "remount,size=1m", str(small_disk)], check=True)
    lines = "".join(f"line {number}\n" for number in range(500))
    for name in ("merged", "restored"):
        workspace.write(name, lines)
        workspace.edit(name, lines.replace("line 3\n", "by the agent\n"), call=name)
    workspace.write("merged", lines.replace("line 3\n", "by the agent\n") + "by a person\n")
    with suppress(OSError), (small_disk / "filling").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(1_024))
    plans = plan_undo(workspace.store, workspace.folder, edits_of(workspace.store, CONVERSATION))
    found = {each.path: each for each in plans}

    assert found[b"restored"].outcome is Outcome.RESTORED
    assert found[b"merged"].outcome is Outcome.CONFLICT
    assert "No space left" in found[b"merged"].reason
