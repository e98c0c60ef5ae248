"""What is known about processes: whether one stands inside a run, and what an odd number means."""

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
    """An ordinary process is free."""
    assert run("-c", SAY) == "None\n"


def test_inside_a_run_it_shows():
    """By the mark in the environment, by that of a process above, and by the holder above."""
    assert "CHORUS_RUN is set" in run("-c", SAY, CHORUS_RUN="abc")
    cleaned = (
        "import os, subprocess, sys; del os.environ['CHORUS_RUN']; subprocess.run([sys.executable, '-c', sys.argv[1]])"
    )
    assert "is part of a run" in run("-c", cleaned, SAY, CHORUS_RUN="abc")
    assert "holds a run" in run("-c", HOLDING, "chorus.steer.runs", SAY)
    assert "holds a run" in run("-c", HOLDING, f"/lib{HOLDER_FOLDER}some.py", SAY)


def test_the_programs_of_a_run_are_recognised_by_where_they_are():
    """The names by which processes of a run are recognised are those of the package that holds runs."""
    assert runs.__name__ == HOLDER
    assert HOLDER_FOLDER in Path(warden.__file__).resolve().as_posix()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives orphans to who asked for them")
def test_an_orphan_of_a_run_is_still_the_runs():
    """A process that forked twice, began a session of its own and cleaned its environment comes back to the holder."""
    assert "holds a run" in run("-c", HOLDING, "chorus.steer.runs", ORPHAN, SAY)


@pytest.fixture
def unshare():
    """Calls a program in a space of its own numbers, where the system lets this user."""
    call = ["unshare", "--user", "--map-root-user", "--pid", "--fork"]
    if shutil.which("unshare") is None or subprocess.run([*call, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no program gets a space of its own numbers here")
    return call


def test_a_space_of_its_own_numbers_does_not_hide_who_stands_above(unshare):
    """The command there sees it by /proc; with a /proc of its own it does not, but who it connects to does."""
    calls = "import subprocess, sys; subprocess.run(sys.argv[1:])"
    assert "holds a run" in run("-c", HOLDING, "chorus.steer.runs", calls, *unshare, sys.executable, "-c", SAY)

    hidden = [calls, *unshare, "--mount-proc", "/bin/cat"]
    holder = subprocess.Popen([sys.executable, "-c", HOLDING, "chorus.steer.runs", *hidden], stdin=subprocess.PIPE)
    try:
        below = _child_of(_child_of(_child_of(holder.pid)))
        assert "holds a run" in (processes.supervisor(below) or "")
    finally:
        holder.communicate()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody tells who knocks")
def test_another_process_is_judged_by_its_own_descent():
    """One with the mark, one below it, and one that cannot be looked at count as a run's; an ordinary one does not."""
    free = {name: value for name, value in os.environ.items() if name != "CHORUS_RUN"}
    calls = "import subprocess, sys; subprocess.run(['/bin/cat'], env={})"
    outside = subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE, env=free)
    inside = subprocess.Popen(
        [sys.executable, "-c", calls], stdin=subprocess.PIPE, env=free | {"CHORUS_RUN": "abc"}, start_new_session=True
    )
    try:
        assert processes.supervisor(outside.pid) is None
        # While a process becomes another program, its variables are not told: one that has a child is past that.
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
