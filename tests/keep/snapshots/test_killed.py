"""Tests that processes which are killed while they work leave a sound repository, and block nobody."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PATIENCE_S = 1_200
PROGRAM = Path(__file__).with_name("killing.py")


@pytest.mark.parametrize("kills", [30, pytest.param(600, marks=pytest.mark.long)])
def test_processes_killed_at_any_moment_leave_a_sound_repository(repository, tmp_path, kills):
    """After each kill the next snapshot works, nothing acknowledged is lost, and nothing forgotten is left."""
    head, index = repository.git("rev-parse", "HEAD"), (repository.folder / ".git" / "index").read_bytes()
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    person = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org", "GIT_CONFIG_GLOBAL": os.devnull}
    person |= {"GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org", "TMPDIR": str(temporary)}
    call = [sys.executable, str(PROGRAM), str(tmp_path), str(kills), "5"]
    done = subprocess.run(
        call, capture_output=True, text=True, timeout=PATIENCE_S, check=False, env={**os.environ, **person}
    )

    assert done.returncode == 0, done.stdout + done.stderr
    seen = dict(word.split("=") for word in done.stdout.split())
    assert int(seen["acknowledged"]) > kills / 2 and seen["left"] == "0"
    assert (head, index) == (repository.git("rev-parse", "HEAD"), (repository.folder / ".git" / "index").read_bytes())
    assert len(repository.git("worktree", "list").splitlines()) == 1
    assert list(temporary.iterdir()) == []
    assert repository.git("fsck", "--no-dangling") == ""
