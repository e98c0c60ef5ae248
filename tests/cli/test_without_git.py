"""Tests what works without git, and with a git that is too old: everything but snapshots, with a clear message."""

import os

import pytest

from chorus.base.git import find_git
from chorus.errors import ChorusError
from chorus.testing.builders.lines import SESSION_ID
from tests.cli.commands import run
from tests.cli.test_git_publish import work

__all__ = ["work"]

NEEDS_GIT = (
    ("history",),
    ("history", "--conversation", SESSION_ID),
    ("diff", SESSION_ID),
    ("undo", SESSION_ID, "--yes"),
    ("blame", "a.txt"),
    ("commit-info", "HEAD"),
    ("git", "status"),
    ("git", "prune"),
    ("git", "publish", SESSION_ID),
    ("forget", SESSION_ID, "--yes"),
)
NEEDS_NONE = (
    ("list",),
    ("show", SESSION_ID),
    ("search", "around"),
    ("stats", SESSION_ID),
    ("cost",),
    ("usage",),
    ("doctor",),
    ("files", SESSION_ID),
    ("workspace", "list"),
    ("config", "get"),
)


@pytest.fixture(params=["none", "old", "broken"])
def without(request, work, tmp_path, monkeypatch):
    """Takes git away after the snapshots were made: it is gone, too old, or cannot run."""
    programs = tmp_path / "programs"
    programs.mkdir()
    if request.param != "none":
        double = "#!/bin/sh\necho 'git version 2.29.3'\n" if request.param == "old" else "#!/no/such/interpreter\n"
        (programs / "git").write_text(double)
        (programs / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.chdir(work)
    find_git.cache_clear()
    yield request.param
    find_git.cache_clear()


def message(*command):
    with pytest.raises(ChorusError) as caught:
        run(*command)
    return str(caught.value)


REASONS = {
    "none": "git is not installed",
    "old": "too old (2.29): Chorus needs git 2.30",
    "broken": "cannot be started",
}


def test_what_needs_git_says_so(without, work, tmp_path):
    """Each command that needs git names the reason in one line, and changes nothing."""
    for command in NEEDS_GIT:
        said = message(*command)
        assert REASONS[without] in said and "\n" not in said, command
    assert (work / "a.txt").read_text() == "two"
    assert run("show", SESSION_ID).exit_code == 0


def test_everything_else_works(without):
    """The conversation can be listed, read, searched and counted."""
    for command in NEEDS_NONE:
        done = run(*command)
        assert done.exit_code in (0, 1) and "git is not" not in done.output, (command, done.output)


def test_git_that_comes_later_is_found(without, work, monkeypatch):
    """When git is there again, the next command finds it."""
    message("history")
    monkeypatch.setenv("PATH", os.defpath)

    assert "a.txt" in run("history").output
