"""Tests worktrees of the repository that are folders in the workspace, as sub-agents get them."""

import subprocess

import pytest

from chorus.errors import ChorusError
from chorus.find.provenance.commit_origins import commit_origins
from chorus.find.provenance.file_blame import blame_file
from chorus.keep.snapshots.commits import Feed, SnapshotKind
from chorus.keep.snapshots.edits import edits_of
from chorus.keep.snapshots.nested_worktrees import worktree_around
from chorus.keep.snapshots.publishing import publish, steps_of
from chorus.keep.snapshots.retention import forget_snapshots
from chorus.keep.snapshots.trees import walk_tree
from chorus.keep.snapshots.undo import Outcome, plan_undo, undo
from tests.keep.snapshots.conftest import CONVERSATION
from tests.keep.snapshots.test_snapshots import blob

PLACE = b".claude/worktrees/a1"


@pytest.fixture
def nested(repository):
    """A repository with a worktree in it, looked at before anything happens in either of them."""
    repository.git("worktree", "add", "-q", "-b", "side", PLACE.decode())
    repository.end_turn()
    shell(repository, "", lambda: None)
    return repository


def shell(workspace, call, work):
    """Does what a command of a sub-agent in the worktree does."""
    for kind in (SnapshotKind.BEFORE, SnapshotKind.AFTER):
        facts = workspace.facts(kind, agent="a1", call=call, tool="Bash", feed=Feed.CONTROL)
        taken = workspace.snapshots.take_changes(facts, kind.value, worktree=PLACE)
        if kind is SnapshotKind.BEFORE:
            work()
    return taken


def change(workspace):
    workspace.write(f"{PLACE.decode()}/a.txt", "one\ntwo\nby the agent\n")
    workspace.write(f"{PLACE.decode()}/new.txt", "new\n")


def test_a_shell_in_a_worktree_leaves_snapshots(nested):
    """What it changed is stored with what it was before; the workspace itself is as it was, and has its own head."""
    taken = shell(nested, "c1", lambda: change(nested))
    found = {
        edit.path: (blob(nested, edit.old), blob(nested, edit.new)) for edit in edits_of(nested.store, CONVERSATION)
    }

    assert found == {
        PLACE + b"/a.txt": (b"one\ntwo\nthree\n", b"one\ntwo\nby the agent\n"),
        PLACE + b"/new.txt": (None, b"new\n"),
    }
    assert (taken.facts.worktree, taken.facts.branch) == (PLACE.decode(), "side")
    assert nested.end_turn() is None
    assert shell(nested, "c2", lambda: None) is None
    assert nested.store.check() == []


def test_edits_of_tools_and_shells_go_together(nested):
    """A file that an editing tool changed in the worktree is no change of the shell, or of the end of the turn."""
    nested.edit(f"{PLACE.decode()}/a.txt", "by the tool\n", call="c1")
    assert shell(nested, "c2", lambda: None) is None
    nested.edit("a.txt", "in the workspace\n", call="c3")
    nested.end_turn()

    assert [edit.commit.facts.call for edit in edits_of(nested.store, CONVERSATION)] == ["c1", "c3"]
    assert next(iter(edits_of(nested.store, CONVERSATION))).commit.facts.branch == "side"


def test_a_file_that_no_look_finds_stays_in_the_snapshots(repository):
    """A file that the repository ignores, and that a tool wrote, does not look deleted at the end of the turn."""
    repository.write(".gitignore", "*.log\n")
    repository.end_turn()
    repository.edit("x.log", "one\n", call="c1")
    repository.write("other.txt", "by a shell\n")
    taken = repository.end_turn()
    found = {path: blob(repository, entry) for path, entry in walk_tree(repository.store.reader, taken.tree)}

    assert found == {b"x.log": b"one\n", b"other.txt": b"by a shell\n"}
    (repository.folder / "x.log").unlink()
    repository.write("other.txt", "again\n")
    assert b"x.log" not in dict(walk_tree(repository.store.reader, repository.end_turn().tree))


def test_undo_and_publish(nested):
    """Changes in a worktree can be undone there. They are not published, because they have a branch already."""
    shell(nested, "c1", lambda: change(nested))
    nested.edit("a.txt", "one\ntwo\nthree\nfour\n", call="c2")
    made = publish(
        nested.store, nested.folder, steps_of(nested.store, CONVERSATION, is_squashed=False), "out", lambda _: "Work"
    )
    assert sorted(made.left_out) == [
        f"{PLACE.decode()}/{name}: it is in a worktree of its own, on side" for name in ("a.txt", "new.txt")
    ]
    assert nested.git("show", "out:a.txt") == "one\ntwo\nthree\nfour\n"
    nested.write(f"{PLACE.decode()}/a.txt", "zero\none\ntwo\nby the agent\n")
    plans = plan_undo(nested.store, nested.folder, edits_of(nested.store, CONVERSATION, call="c1"))
    assert [each.outcome for each in plans] == [Outcome.MERGED, Outcome.DELETED]
    facts = [nested.facts(kind) for kind in (SnapshotKind.BEFORE, SnapshotKind.UNDO)]
    undo(nested.snapshots, plans, *facts, merge=True)

    assert (nested.folder / PLACE.decode() / "a.txt").read_text() == "zero\none\ntwo\nthree\n"
    assert not (nested.folder / PLACE.decode() / "new.txt").exists()


def test_lines_keep_their_origin_when_the_branch_is_merged(nested):
    """Blame in the workspace finds what was written in a worktree, also after the worktree is gone."""
    shell(nested, "c1", lambda: change(nested))
    inside = ["-C", PLACE.decode()]
    nested.git(*inside, "add", "-A")
    nested.git(*inside, "commit", "-qm", "side")
    nested.git("worktree", "remove", "--force", PLACE.decode())
    nested.git("merge", "-q", "side")
    found = blame_file(nested.store, nested.folder, b"a.txt")

    assert [origin.edit.call if origin else None for origin in found.origins] == [None, None, "c1"]
    assert commit_origins(nested.store, nested.folder, "HEAD").known == 2
    assert shell(nested, "c3", lambda: None) is None


def test_what_was_known_of_worktrees_is_forgotten(nested):
    """Forgetting a conversation removes what its worktrees contained; what others need stays known after packing."""
    nested.write(f"{PLACE.decode()}/untracked", "before\n")
    nested.write("untracked", "before, too\n")
    with nested.store.lock():
        nested.store.collect_garbage()
    shell(nested, "c1", lambda: change(nested))
    forget_snapshots(nested.home, "project-0123abcd", {CONVERSATION})

    assert not [path for path in nested.store.git_dir.iterdir() if path.name.startswith("worktree-")]
    assert nested.own_git("count-objects", "-v").split()[1] == "0" and nested.own_git("for-each-ref") == ""


@pytest.mark.parametrize("kind", ["other repository", "link", "folder", "rubbish", "forged", "outside"])
def test_only_worktrees_of_the_own_repository_count(nested, tmp_path, kind):
    """What only looks like a worktree, or leads elsewhere, is none."""
    other, place = tmp_path / "other", nested.folder / "fake"
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    match kind:
        case "other repository":
            who = ["-c", "user.name=a", "-c", "user.email=a@b"]
            subprocess.run(["git", *who, "commit", "-q", "--allow-empty", "-m", "x"], cwd=other, check=True)
            subprocess.run(["git", "worktree", "add", "-q", str(place)], cwd=other, check=True)
        case "link":
            place.symlink_to(nested.folder / PLACE.decode())
        case "folder":
            place.mkdir()
            (place / ".git").mkdir()
        case "rubbish":
            nested.write("fake/.git", bytes(range(256)))
        case "forged":
            nested.write("fake/.git", f"gitdir: {nested.folder}/.git/worktrees/a1\n")
        case _:
            place = other
    assert worktree_around(nested.folder, str(place)) == b""
    assert worktree_around(nested.folder, f"{nested.folder / PLACE.decode()}/deeper/..") == PLACE
    assert worktree_around(nested.folder, "\0") == b""


def test_a_worktree_that_is_gone_is_no_problem(nested):
    """The client removes a worktree when its sub-agent has ended."""
    nested.git("worktree", "remove", "--force", PLACE.decode())

    assert shell(nested, "c1", lambda: None) is None
    with pytest.raises(ChorusError):
        blame_file(nested.store, nested.folder, PLACE + b"/a.txt")
