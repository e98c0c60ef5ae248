"""Tests that, if a person asks for it, each turn becomes a commit on a branch of its conversation."""

import os
import subprocess

import pytest

from chorus.base.config import Workspace
from chorus.keep.snapshots.commits import Feed
from chorus.steer.edits.events import EditEvent, Stage
from chorus.steer.edits.opening import open_queue

SESSION = "11111111-2222-4333-8444-555555555555"
BRANCH = f"chorus/{SESSION[:13]}"


@pytest.fixture
def work(tmp_path, monkeypatch):
    folder = tmp_path / "work"
    folder.mkdir()
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "ada@example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    git(folder, "init", "--quiet")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "first")
    return folder


def git(folder, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True).stdout


def work_turn(tmp_path, folder, number: int, **settings) -> list[str]:
    """Plays one turn in which an agent writes one file, with a new queue each time; returns the problems."""
    known = Workspace(id="work-1", path=str(folder), is_named=True, **settings)
    queue = open_queue(tmp_path / "home", known, folder, Feed.CONTROL)
    about = {"session": SESSION, "prompt": f"p{number}"}
    call = {"tool": "Write", "call": f"c{number}", "paths": (f"{number}.txt",)}
    queue.put(EditEvent(stage=Stage.PROMPT, text=f"Do {number}", **about))
    queue.put(EditEvent(stage=Stage.BEFORE, **about, **call))
    (folder / f"{number}.txt").write_text(str(number))
    queue.put(EditEvent(stage=Stage.AFTER, **about, **call))
    queue.put(EditEvent(stage=Stage.END, **about))
    queue.close()
    return queue.problems()


def subjects(folder) -> list[str]:
    return git(folder, "log", "--format=%s", "--reverse", BRANCH).split("\n")[:-1]


def test_each_turn_is_added_to_the_branch(tmp_path, work):
    """Turns are added in order, after commits of a person on the branch, and the checked-out branch stays unchanged."""
    assert work_turn(tmp_path, work, 1, git_commits="turns") == []
    assert work_turn(tmp_path, work, 2, git_commits="turns") == []
    assert subjects(work) == ["first", "Do 1", "Do 2"]
    git(work, "worktree", "add", "--quiet", str(tmp_path / "other"), BRANCH)
    git(tmp_path / "other", "commit", "--quiet", "--allow-empty", "--message", "mine")
    git(work, "worktree", "remove", str(tmp_path / "other"))

    assert work_turn(tmp_path, work, 3, git_commits="turns") == []
    assert subjects(work) == ["first", "Do 1", "Do 2", "mine", "Do 3"]
    assert git(work, "log", "--format=%s") == "first\n"


def test_a_hook_that_refuses_delays_the_commit(tmp_path, work):
    """A turn that could not be committed is reported, and committed with the next one."""
    hook = work / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    (problem,) = work_turn(tmp_path, work, 1, git_commits="turns")
    assert "refused the commit of turn 1" in problem
    hook.unlink()

    assert work_turn(tmp_path, work, 2, git_commits="turns") == []
    assert subjects(work)[0] == "first"
    assert len(subjects(work)) == 3


def test_a_branch_of_somebody_else_is_left_alone(tmp_path, work):
    """A branch with the same name but without a commit of the conversation is not changed."""
    git(work, "branch", BRANCH)
    (problem,) = work_turn(tmp_path, work, 1, git_commits="turns")
    assert "is not of this conversation" in problem
    assert subjects(work) == ["first"]


def test_by_default_nothing_is_committed(tmp_path, work):
    """Without the setting, nothing is written to the person's repository."""
    assert work_turn(tmp_path, work, 1) == []
    assert "chorus" not in git(work, "branch", "--list")
