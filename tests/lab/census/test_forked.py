"""Work shared with a copy of this process."""

import os
import signal
from pathlib import Path

import pytest

from chorus.lab.census import forked

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot copy a process")


def test_every_part_is_done_by_exactly_one():
    """What both made together is all there was to do."""
    mine, theirs = forked.shared(1_000, list)

    assert sorted(mine + theirs) == list(range(1_000))


def test_a_copy_that_is_ended_is_noticed():
    """Nothing is given back as whole when half of it is missing."""
    here = os.getpid()

    def work(numbers):
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return list(numbers)

    with pytest.raises(forked.CopyEnded):
        forked.shared(10, work)


def test_a_failure_here_ends_the_copy():
    """No process is left behind, and no pipe."""
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
    """Processes that this one started and has not waited for; tests before this one may have left some."""
    return {pid for file in Path("/proc/self/task").glob("*/children") for pid in file.read_text().split()}
