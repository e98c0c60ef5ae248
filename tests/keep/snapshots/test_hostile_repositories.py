"""Tests row D5 of the security table: nothing in a hostile repository runs or leads elsewhere."""

import os
import subprocess

import pytest

from chorus.keep.snapshots.commits import SnapshotKind
from chorus.keep.snapshots.snapshots import Snapshots

PROGRAMS = {
    "core.fsmonitor": "{canary}",
    "core.hooksPath": "{hooks}",
    "core.pager": "{canary}",
    "core.editor": "{canary}",
    "core.sshCommand": "{canary}",
    "core.askPass": "{canary}",
    "core.gitProxy": "{canary}",
    "core.alternateRefsCommand": "{canary}",
    "core.worktree": "{elsewhere}",
    "diff.external": "{canary}",
    "diff.evil.textconv": "{canary}",
    "diff.evil.command": "{canary}",
    "filter.evil.clean": "{canary}",
    "filter.evil.smudge": "{canary}",
    "filter.evil.process": "{canary}",
    "filter.evil.required": "true",
    "merge.evil.driver": "{canary}",
    "gpg.program": "{canary}",
    "commit.gpgSign": "true",
    "credential.helper": "!{canary}",
    "alias.status": "!{canary}",
    "alias.ls-files": "!{canary}",
    "uploadpack.packObjectsHook": "{canary}",
    "extensions.partialClone": "origin",
    "remote.origin.url": "ext::{canary}",
    "remote.origin.promisor": "true",
    "submodule.sub.update": "!{canary}",
    "include.path": "{elsewhere}/included",
}
HOOKS = (
    "post-index-change",
    "reference-transaction",
    "pre-commit",
    "post-checkout",
    "pre-auto-gc",
    "fsmonitor-watchman",
)


@pytest.fixture
def hostile(repository, tmp_path):
    """A repository whose configuration, hooks and attributes start a program that leaves a file."""
    canary = tmp_path / "canary"
    canary.write_text(f'#!/bin/sh\necho "$0 $@" >> {tmp_path}/sprung\ncat\n')
    canary.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in HOOKS:
        for folder in (hooks, repository.folder / ".git" / "hooks"):
            folder.mkdir(exist_ok=True)
            (folder / name).unlink(missing_ok=True)
            (folder / name).symlink_to(canary)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    repository.write(".gitattributes", "* filter=evil diff=evil merge=evil\n")
    names = {"canary": canary, "hooks": hooks, "elsewhere": elsewhere}
    for name, value in PROGRAMS.items():
        repository.git("config", name, value.format(**names))
    (tmp_path / "sprung").unlink(missing_ok=True)
    return repository


def work(workspace) -> None:
    """Does everything that reads or writes snapshots."""
    workspace.end_turn()
    for name in ("-x", "--output=evil", "new\nline", ":(top)glob*", "ünï", "a.txt", ".gitmodules"):
        workspace.edit(name, f"content of {name}\n")
    workspace.write("src/b.py", "changed by a shell")
    workspace.end_turn()
    workspace.store.collect_garbage()
    assert workspace.store.check() == []


def test_the_canary_sings_for_the_persons_own_git(hostile, tmp_path):
    """The person's own git starts the program, so the trap of these tests works."""
    hostile.write("a.txt", "touched\n")
    call = ["git", "-c", "alias.status=status", "diff"]
    subprocess.run(call, cwd=hostile.folder, capture_output=True, check=False, timeout=30)

    assert (tmp_path / "sprung").exists()


def test_nothing_of_a_hostile_repository_runs(hostile, tmp_path):
    """Snapshots, undo and packing start no program that the repository names."""
    work(hostile)

    assert not (tmp_path / "sprung").exists()
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("kind", ["link", "file elsewhere", "loop", "rubbish", "pipe"])
def test_a_git_folder_that_leads_elsewhere_is_harmless(workspace, tmp_path, kind):
    """A `.git` that is a link, names another folder, or is no repository, changes only the ignore rules."""
    other = tmp_path / "other"
    other.mkdir()
    subprocess.run(["git", "init", "--quiet", str(other)], check=True)
    dot_git = workspace.folder / ".git"
    match kind:
        case "link":
            dot_git.symlink_to(other / ".git")
        case "file elsewhere":
            dot_git.write_text(f"gitdir: {other}/.git\n")
        case "loop":
            dot_git.write_text("gitdir: .git\n")
        case "rubbish":
            dot_git.write_bytes(bytes(range(256)))
        case _:
            os.mkfifo(dot_git)
    before = sorted(path for path in other.rglob("*"))
    work_without_b(workspace)

    assert sorted(path for path in other.rglob("*")) == before


def work_without_b(workspace) -> None:
    workspace.write("file", "old")
    workspace.end_turn()
    workspace.edit("file", "new")
    workspace.write("more", "by a shell")
    assert workspace.end_turn() is not None


@pytest.mark.parametrize("options", [["--object-format=sha256"], ["--bare"], []], ids=["sha256", "bare", "empty"])
def test_unusual_repositories_have_snapshots(workspace, options):
    """Repositories with other ids, bare ones and ones without a commit have snapshots like all others."""
    workspace.git("init", "--quiet", *options)
    work_without_b(workspace)


def test_a_sparse_and_partial_repository_is_read_without_a_fetch(repository):
    """Files that are not checked out are not fetched, and do not appear as deleted by the agent."""
    repository.git("sparse-checkout", "set", "--no-cone", "a.txt")
    repository.end_turn()
    repository.write("a.txt", "changed")
    taken = repository.end_turn()

    assert taken.facts.kind is SnapshotKind.TURN
    assert b"src/b.py" not in {path for path, _ in _files(repository, taken)}


def _files(workspace, commit):
    from chorus.keep.snapshots.trees import walk_tree

    return list(walk_tree(workspace.store.reader, commit.tree))


def test_a_home_with_links_is_refused(workspace, tmp_path):
    """A link in place of a repository of Chorus is not followed."""
    from chorus.errors import ChorusError

    workspace.home.mkdir()
    (tmp_path / "trap").mkdir()
    (workspace.home / "git").symlink_to(tmp_path / "trap")
    linked = Snapshots(workspace.home, "x-1", workspace.folder)
    with pytest.raises((ChorusError, OSError)):
        linked.take_changes(workspace.facts(SnapshotKind.TURN), "x")

    assert list((tmp_path / "trap").iterdir()) == []
