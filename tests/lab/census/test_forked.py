"""Tests of work that is shared with a fork of this process."""

import os
import signal
from pathlib import Path

import pytest

from chorus.lab.census import forked

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot copy a process")


def test_every_part_is_done_by_exactly_one():
    """The two processes together do every part exactly once."""
    mine, theirs = forked.shared(1_000, list)

    assert sorted(mine + theirs) == list(range(1_000))


def test_a_copy_that_is_ended_is_noticed():
    """If the copy is killed, an error is raised and no partial result is returned."""
    here = os.getpid()

    def work(numbers):
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return list(numbers)

    with pytest.raises(forked.CopyEnded):
        forked.shared(10, work)


def test_a_failure_here_ends_the_copy():
    """After a failure in this process, no child process and no pipe is left."""
    here = os.getpid()
    before = _open_files(), _children()

    def work(numbers):
        if os.getpid() == here:
            raise KeyboardInterrupt
        signal.pause()

    with pytest.raises(KeyboardInterrupt):
        forked.shared(10, work)
    assert (_open_files(), _children()) == before


def _open_files():
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.is_dir() else 0


def _children():
    """Returns the children that this process has not waited for; earlier tests may have left some."""
    return {pid for file in Path("/proc/self/task").glob("*/children") for pid in file.read_text().split()}
