"""Tests of switched branches and rebases in the middle of a turn: what git wrote is not a change of the agent."""

import os
import subprocess
from copy import copy

import pytest

from chorus.keep.snapshots.commits import SnapshotKind
from chorus.keep.snapshots.edits import edits_of
from chorus.keep.snapshots.persons_head import Head, read_head
from chorus.keep.snapshots.snapshots import snapshots_of
from chorus.keep.snapshots.trees import TreeEntry
from chorus.keep.snapshots.undo import Outcome, plan_undo
from tests.keep.snapshots.conftest import CONVERSATION


@pytest.fixture
def branches(repository):
    """Two branches: `other` changes a.txt, deletes src/b.py and adds c.txt. `main` is checked out, and a turn began."""
    repository.git("branch", "-M", "main")
    repository.git("checkout", "--quiet", "-b", "other")
    repository.write("a.txt", "one\ntwo of other\nthree\n")
    repository.write("c.txt", "of other\n")
    (repository.folder / "src/b.py").unlink()
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--message", "other")
    repository.git("checkout", "--quiet", "main")
    repository.snapshots.take_changes(repository.facts(SnapshotKind.BEFORE), "Before the turn")
    return repository


def changed(workspace) -> dict[bytes, tuple[bytes | None, bytes | None]]:
    """Returns what the agent changed: path → content before and after."""

    def read(entry: TreeEntry | None) -> bytes | None:
        return workspace.store.reader.read(entry.id, "blob") if entry else None

    return {edit.path: (read(edit.old), read(edit.new)) for edit in edits_of(workspace.store, CONVERSATION)}


def switches(workspace):
    every = snapshots_of(workspace.store, CONVERSATION)
    return [each for each in every if each.facts.kind is SnapshotKind.SWITCH]


def test_a_switched_branch_is_not_the_agents_change(branches):
    """Files that a switch created, changed and deleted are stored and marked, and the agent has only its own file."""
    branches.git("checkout", "--quiet", "other")
    branches.write("new.txt", "by the agent\n")
    branches.end_turn()

    assert changed(branches) == {b"new.txt": (None, b"by the agent\n")}
    (switch,) = switches(branches)
    assert switch.subject == "Switch from main to other"
    assert switch.facts.branch == "other"
    assert switch.facts.head == branches.git("rev-parse", "other").strip()


def test_an_edit_after_a_switch_is_only_that_edit(branches):
    """What the agent changed in a file that the switch changed, too, is compared with what git wrote."""
    branches.git("checkout", "--quiet", "other")
    branches.write("a.txt", "one\ntwo of other\nthree by the agent\n")
    branches.end_turn()

    assert changed(branches) == {
        b"a.txt": (b"one\ntwo of other\nthree\n", b"one\ntwo of other\nthree by the agent\n"),
    }


def test_a_commit_of_the_agent_stays_its_change(branches):
    """Files that a command changed and committed at once are the agent's, also after a switch in the same command."""
    branches.git("checkout", "--quiet", "other")
    branches.write("a.txt", "one\ntwo of other\nthree by the agent\n")
    branches.write("new.txt", "by the agent\n")
    branches.git("add", "--all")
    branches.git("commit", "--quiet", "--message", "by the agent")
    branches.end_turn()

    assert changed(branches) == {
        b"a.txt": (b"one\ntwo of other\nthree\n", b"one\ntwo of other\nthree by the agent\n"),
        b"new.txt": (None, b"by the agent\n"),
    }


def test_a_commit_without_a_switch_is_the_agents(branches):
    """A commit moves HEAD, but its files were written by somebody."""
    branches.write("a.txt", "by the agent\n")
    branches.git("commit", "--quiet", "--all", "--message", "by the agent")
    branches.git("commit", "--quiet", "--amend", "--message", "again")
    branches.end_turn()

    assert changed(branches) == {b"a.txt": (b"one\ntwo\nthree\n", b"by the agent\n")}
    assert switches(branches) == []


@pytest.mark.parametrize("way", ["rebase", "merge", "reset", "cherry-pick"])
def test_what_other_commands_of_git_bring_is_not_the_agents(branches, way):
    """A rebase, a merge, a reset and a cherry-pick in the middle of a turn bring files that the agent did not write."""
    branches.write("mine.txt", "of main\n")
    branches.git("add", "mine.txt")
    branches.git("commit", "--quiet", "--message", "mine")
    branches.snapshots.take_changes(branches.facts(SnapshotKind.BEFORE), "Before the command")
    target = {"rebase": ["other"], "merge": ["--no-edit", "other"], "reset": ["--hard", "other"]}
    branches.git(way, *target.get(way, ["other"]))
    branches.write("new.txt", "by the agent\n")
    branches.end_turn()

    assert changed(branches) == {b"new.txt": (None, b"by the agent\n")}
    assert len(switches(branches)) == 1


@pytest.mark.parametrize("way", ["rebase", "merge"])
def test_marks_of_a_conflict_are_not_the_agents(branches, way):
    """A rebase or merge that stops at a conflict writes both sides into a file; no agent wrote that."""
    branches.write("a.txt", "one\ntwo of main\nthree\n")
    branches.git("commit", "--quiet", "--all", "--message", "mine")
    branches.snapshots.take_changes(branches.facts(SnapshotKind.BEFORE), "Before the command")
    with pytest.raises(subprocess.CalledProcessError):
        branches.git(way, "other")
    assert "<<<<<<<" in (branches.folder / "a.txt").read_text()
    branches.write("new.txt", "by the agent\n")
    branches.end_turn()

    assert changed(branches) == {b"new.txt": (None, b"by the agent\n")}


@pytest.mark.parametrize("has_reflog", [True, False])
def test_line_endings_that_git_converts_are_no_change(branches, has_reflog):
    """A file whose blob differs from the file on disk, because git converts it, still comes from the switch."""
    branches.write(".gitattributes", "*.txt text eol=crlf\n")
    branches.git("add", ".gitattributes")
    branches.git("commit", "--quiet", "--message", "endings")
    branches.git("config", "core.logAllRefUpdates", "true" if has_reflog else "false")
    if not has_reflog:
        (branches.folder / ".git/logs/HEAD").unlink()
        os.utime(branches.folder / "a.txt")
    branches.git("checkout", "--quiet", "--force", "-b", "third", "other")
    branches.write(".gitattributes", "*.txt text eol=crlf\n")
    branches.git("add", ".gitattributes")
    branches.git("commit", "--quiet", "--message", "endings", env={"GIT_COMMITTER_DATE": "2020-01-01T00:00:00Z"})
    branches.git("checkout", "--quiet", "main")
    branches.snapshots.take_changes(branches.facts(SnapshotKind.BEFORE), "Before the command")
    branches.git("checkout", "--quiet", "third")
    assert (branches.folder / "c.txt").read_bytes() == b"of other\r\n"
    branches.end_turn()

    assert changed(branches) == {}


def test_a_workspace_inside_of_a_repository(branches):
    """A switch is also recognised if the workspace is only a folder of the repository."""
    branches.write("src/b.py", "committed\n")
    branches.git("commit", "--quiet", "--all", "--message", "b")
    inner = copy(branches)
    inner.folder = branches.folder / "src"
    inner.snapshots = type(branches.snapshots)(branches.home, "src-0123abcd", inner.folder)
    inner.snapshots.take_changes(inner.facts(SnapshotKind.BEFORE), "Before the turn")
    inner.git("checkout", "--quiet", "HEAD~1")
    inner.end_turn()

    assert changed(inner) == {}
    assert [each.facts.branch for each in switches(inner)] == [""]
    inner.snapshots.close()


@pytest.mark.parametrize("name", ["main", "with/slash", "über"])
def test_the_branch_and_commit_are_noted(repository, name):
    """Every snapshot names what was checked out, from a loose or a packed ref, in a worktree, and detached."""
    repository.git("branch", "-M", name)
    commit = repository.git("rev-parse", "HEAD").strip()
    assert read_head(repository.folder) == Head(commit, name)
    repository.git("pack-refs", "--all")
    assert read_head(repository.folder) == Head(commit, name)
    tree = repository.folder.parent / "tree"
    repository.git("worktree", "add", "--quiet", "-b", "beside", str(tree))
    assert read_head(tree) == Head(commit, "beside")
    repository.git("checkout", "--quiet", "--detach")
    assert read_head(repository.folder) == Head(commit, "")
    taken = repository.edit("a.txt", "x\n")
    assert taken is not None
    assert (taken.facts.head, taken.facts.branch) == (commit, "")


def test_without_commits_or_repository_nothing_is_noted(workspace):
    """A folder without a repository has no HEAD, and a new repository has a branch without a commit."""
    assert read_head(workspace.folder) == Head()
    workspace.git("init", "--quiet", "--initial-branch", "main")
    assert read_head(workspace.folder) == Head("", "main")


@pytest.mark.parametrize("text", [b"ref: ../../etc/passwd", b"ref: refs/../../x", b"\xff\xfe", b"ref: ", b"x" * 5000])
def test_a_hostile_head_is_nothing(repository, text):
    """A HEAD that names files elsewhere, or is no text, is not followed."""
    (repository.folder / ".git/HEAD").write_bytes(text)
    assert read_head(repository.folder).commit == ""


def test_undo_refuses_a_change_of_another_branch(branches):
    """A file that has other content because another branch is checked out is left alone, with the reason."""
    branches.edit("a.txt", "one\ntwo\nthree by the agent\n")
    branches.git("commit", "--quiet", "--all", "--message", "by the agent")
    branches.git("checkout", "--quiet", "other")
    branches.end_turn()
    (plan,) = plan_undo(branches.store, branches.folder, edits_of(branches.store, CONVERSATION))

    assert plan.outcome is Outcome.CONFLICT
    assert plan.reason == "the change was made on main, and other is checked out"
    assert subprocess.check_output(["git", "status", "--porcelain"], cwd=branches.folder) == b""


def test_a_switch_in_a_hostile_repository_starts_nothing(branches):
    """The reflog is read without checking signatures, running filters or asking anything of the repository."""
    canary = branches.folder.parent / "canary"
    program = branches.folder.parent / "program"
    program.write_text(f"#!/bin/sh\necho ran >> {canary}\n")
    program.chmod(0o755)
    signed = branches.git("cat-file", "commit", "other").replace(
        "\n\n", "\ngpgsig -----BEGIN SSH SIGNATURE-----\n U1NI\n -----END SSH SIGNATURE-----\n\n", 1
    )
    place = branches.folder.parent / "commit"
    place.write_text(signed)
    branches.git(
        "update-ref", "refs/heads/other", branches.git("hash-object", "-t", "commit", "-w", str(place)).strip()
    )
    branches.git("checkout", "--quiet", "other")
    branches.write(".gitattributes", "* filter=evil diff=evil\n")
    settings = {
        "log.showSignature": "true", "gpg.format": "ssh", "gpg.ssh.program": str(program), "gpg.program": str(program),
        "gpg.ssh.allowedSignersFile": os.devnull, "core.fsmonitor": str(program), "filter.evil.clean": str(program),
        "filter.evil.smudge": str(program), "filter.evil.process": str(program), "diff.evil.textconv": str(program),
        "core.pager": str(program), "pager.log": str(program),
    }  # fmt: skip
    for name, value in settings.items():
        branches.git("config", name, value)
    subprocess.run(["git", "log", "-1"], cwd=branches.folder, capture_output=True, check=False)
    assert canary.exists(), "the signature is checked by a git that is not held back"
    canary.unlink()
    branches.end_turn()

    assert not canary.exists()
    assert {*changed(branches)} == {b".gitattributes"}
