"""Tests of the check whether the process that asked is alive."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from chorus.base import processes as system
from chorus.steer.approvals import asking_process
from chorus.steer.approvals.model import Asker


@pytest.fixture(params=["proc", "ps"])
def way(request, monkeypatch):
    """Selects each of the two ways to ask the system about a process."""
    if request.param == "ps":
        if not Path(system._PS).exists():
            pytest.skip("ps is not installed")
        monkeypatch.setattr(system, "has_proc", lambda: False)
    elif not system.has_proc():
        pytest.skip("this system has no /proc")


@pytest.mark.usefixtures("way")
def test_a_process_is_known_by_its_start():
    """This process is alive; a process with another start time or an impossible pid is not."""
    me = asking_process.this_process()

    assert me.pid == os.getpid() and asking_process.is_alive(me)
    for other in (
        Asker(me.pid, "yesterday"),
        Asker(me.pid, ""),
        Asker(0, ""),
        Asker(-1, me.started_at),
        Asker(10**30, ""),
    ):
        assert not asking_process.is_alive(other)


@pytest.mark.usefixtures("way")
def test_a_dead_process_is_not_alive():
    """A process that ended is not alive, even if its parent did not wait for it yet."""
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    seen = system.look(child.pid)
    assert seen is not None
    asker = Asker(child.pid, seen.started_at)
    assert asking_process.is_alive(asker)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)

    if system.has_proc():
        assert not asking_process.is_alive(asker)
    child.communicate()
    assert not asking_process.is_alive(asker)
