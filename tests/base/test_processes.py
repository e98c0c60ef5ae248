"""Tests of what is known about processes: whether a process is inside a run, and what an invalid process id means."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from chorus.base import processes
from chorus.base.processes import HOLDER, HOLDER_FOLDER
from chorus.steer import runs
from chorus.steer.runs import warden

SAY = "from chorus.base.processes import supervisor; print(supervisor())"
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


def run(*call, **environment):
    given = {name: value for name, value in os.environ.items() if name != "CHORUS_RUN"} | environment
    return subprocess.run(
        [sys.executable, *call], env=given, capture_output=True, text=True, timeout=60, check=True
    ).stdout


def test_outside_a_run_nobody_supervises():
    """An ordinary process has no supervisor."""
    assert run("-c", SAY) == "None\n"


def test_inside_a_run_it_shows():
    """A process inside a run is recognised by its environment, by that of a parent process, or by its holder."""
    assert "CHORUS_RUN is set" in run("-c", SAY, CHORUS_RUN="abc")
    cleaned = (
        "import os, subprocess, sys; del os.environ['CHORUS_RUN']; subprocess.run([sys.executable, '-c', sys.argv[1]])"
    )
    assert "is part of a run" in run("-c", cleaned, SAY, CHORUS_RUN="abc")
    assert "holds a run" in run("-c", HOLDING, "chorus.steer.runs", SAY)
    assert "holds a run" in run("-c", HOLDING, f"/lib{HOLDER_FOLDER}some.py", SAY)


def test_the_programs_of_a_run_are_recognised_by_where_they_are():
    """Processes of a run are recognised by the name and folder of the package that holds runs."""
    assert runs.__name__ == HOLDER
    assert HOLDER_FOLDER in Path(warden.__file__).resolve().as_posix()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can make a process adopt orphans")
def test_an_orphan_of_a_run_is_still_the_runs():
    """An orphan process of a run still belongs to the holder.

    The process forked twice, began its own session and cleaned its environment.
    """
    assert "holds a run" in run("-c", HOLDING, "chorus.steer.runs", ORPHAN, SAY)


@pytest.fixture
def unshare():
    """Returns a command that starts a program in its own PID namespace, or skips if the system does not allow it."""
    call = ["unshare", "--user", "--map-root-user", "--pid", "--fork"]
    if shutil.which("unshare") is None or subprocess.run([*call, "true"], capture_output=True, check=False).returncode:
        pytest.skip("a program cannot get a PID namespace here")
    return call


def test_a_space_of_its_own_numbers_does_not_hide_who_stands_above(unshare):
    """A process in its own PID namespace is still recognised as part of a run.

    The process itself sees it through /proc. If it has its own /proc, it cannot see it, but the process that it
    connects to can.
    """
    calls = "import subprocess, sys; subprocess.run(sys.argv[1:])"
    assert "holds a run" in run("-c", HOLDING, "chorus.steer.runs", calls, *unshare, sys.executable, "-c", SAY)

    hidden = [calls, *unshare, "--mount-proc", "/bin/cat"]
    holder = subprocess.Popen([sys.executable, "-c", HOLDING, "chorus.steer.runs", *hidden], stdin=subprocess.PIPE)
    try:
        below = _child_of(_child_of(_child_of(holder.pid)))
        assert "holds a run" in (processes.supervisor(below) or "")
    finally:
        holder.communicate()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux names the process at the other end of a socket")
def test_another_process_is_judged_by_its_own_descent():
    """A process with the mark, a process below it, and one that cannot be inspected count as part of a run.

    An ordinary process does not.
    """
    free = {name: value for name, value in os.environ.items() if name != "CHORUS_RUN"}
    calls = "import subprocess, sys; subprocess.run(['/bin/cat'], env={})"
    outside = subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE, env=free)
    inside = subprocess.Popen(
        [sys.executable, "-c", calls], stdin=subprocess.PIPE, env=free | {"CHORUS_RUN": "abc"}, start_new_session=True
    )
    try:
        assert processes.supervisor(outside.pid) is None
        # The environment of a process cannot be read while it starts another program; a process with a child has done
        # this.
        below = _child_of(inside.pid)
        assert "is part of a run" in (processes.supervisor(inside.pid) or "")
        assert "is part of a run" in (processes.supervisor(below) or "")
    finally:
        for each in (outside, inside):
            each.communicate()
    for gone in (outside.pid, 0, -1, 1 << 40):
        assert "cannot be inspected" in (processes.supervisor(gone) or "")


def _child_of(pid):
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    while not (found := listed.read_text().split()):
        pass
    return int(found[0])
