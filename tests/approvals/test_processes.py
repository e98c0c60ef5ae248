"""What is known about processes: whether an asker lives, and whether we stand inside a run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from chorus.approvals import processes
from chorus.approvals.model import Asker

SAY = "from chorus.approvals.processes import supervisor; print(supervisor())"
ORPHAN = """
import os, subprocess, sys, time
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
time.sleep(0.3)
environment = {name: value for name, value in os.environ.items() if name != "CHORUS_RUN"}
call = [sys.executable, "-c", sys.argv[1]]
print(subprocess.run(call, env=environment, capture_output=True, text=True).stdout, flush=True)
"""
HOLDING = """
import ctypes, subprocess, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
done = subprocess.run([sys.executable, "-c", *sys.argv[2:]], stdout=subprocess.PIPE, text=True)
print(done.stdout, end="")
"""


@pytest.fixture(params=["proc", "ps"])
def way(request, monkeypatch):
    """Both ways of asking the system."""
    if request.param == "ps":
        if not Path(processes._PS).exists():
            pytest.skip("there is no ps here")
        monkeypatch.setattr(processes, "_has_proc", lambda: False)
    elif not processes._has_proc():
        pytest.skip("there is no /proc here")


@pytest.mark.usefixtures("way")
def test_a_process_is_known_by_its_start():
    """This process lives; the same number with another start, and numbers that cannot be, do not."""
    me = processes.this_process()

    assert me.pid == os.getpid() and processes.is_alive(me)
    for other in (
        Asker(me.pid, "yesterday"),
        Asker(me.pid, ""),
        Asker(0, ""),
        Asker(-1, me.started_at),
        Asker(10**30, ""),
    ):
        assert not processes.is_alive(other)


@pytest.mark.usefixtures("way")
def test_a_dead_process_is_not_alive():
    """Neither one that ended nor one that nobody has buried yet."""
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    seen = processes._look(child.pid)
    assert seen is not None
    asker = Asker(child.pid, seen.started_at)
    assert processes.is_alive(asker)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)

    if processes._has_proc():
        assert not processes.is_alive(asker)
    child.communicate()
    assert not processes.is_alive(asker)


def run(*call, **environment):
    given = {name: value for name, value in os.environ.items() if name != "CHORUS_RUN"} | environment
    return subprocess.run(
        [sys.executable, *call], env=given, capture_output=True, text=True, timeout=60, check=True
    ).stdout


def test_outside_a_run_nobody_supervises():
    """An ordinary process is free."""
    assert run("-c", SAY) == "None\n"


def test_inside_a_run_it_shows():
    """By the mark in the environment, by that of a process above, and by the holder above."""
    assert "CHORUS_RUN is set" in run("-c", SAY, CHORUS_RUN="abc")
    cleaned = (
        "import os, subprocess, sys; del os.environ['CHORUS_RUN']; subprocess.run([sys.executable, '-c', sys.argv[1]])"
    )
    assert "is part of a run" in run("-c", cleaned, SAY, CHORUS_RUN="abc")
    assert "holds a run" in run("-c", HOLDING, "chorus.holding", SAY)
    assert "holds a run" in run("-c", HOLDING, "/lib/chorus/holding/some.py", SAY)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives orphans to who asked for them")
def test_an_orphan_of_a_run_is_still_the_runs():
    """A process that forked twice, began a session of its own and cleaned its environment comes back to the holder."""
    assert "holds a run" in run("-c", HOLDING, "chorus.holding", ORPHAN, SAY)
