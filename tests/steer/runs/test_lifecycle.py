"""Tests of D7: when a run ends in any way, no client, no child process and no zombie is left."""

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.support.running import end, is_alive, kill, program, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the children of a process")

FAMILY = """
import os, signal, subprocess, sys, time

def child(name, ignores, leaves):
    if os.fork():
        return
    if leaves:
        os.setsid()
        if os.fork():
            os._exit(0)
    if ignores:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for stream in (0, 1, 2):
        os.close(stream)
    with open(f"pid-{name}", "w") as file:
        file.write(str(os.getpid()))
    while True:
        time.sleep(60)

IGNORES = {ignores}
child("plain", False, False)
child("deaf", True, False)
child("gone-away", True, True)
if IGNORES:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
while not all(os.path.exists(f"pid-{name}") and os.path.getsize(f"pid-{name}") for name in NAMES):
    time.sleep(0.01)
with open("pid-client", "w") as file:
    file.write(str(os.getpid()))
{then}
"""
NAMES = ("plain", "deaf", "gone-away")
WAITS = "while True: time.sleep(60)"


def family(place, then=WAITS, *, ignores=False):
    """Builds a client with three children: one obeys SIGTERM, one ignores it, one left the process group."""
    body = FAMILY.replace("{then}", then).replace("{ignores}", str(ignores)).replace("NAMES", repr(NAMES))
    return program(place.work / "client", body)


def pids(place):
    names = [f"pid-{name}" for name in (*NAMES, "client")]
    until(lambda: all((place.work / name).is_file() and (place.work / name).read_text() for name in names))
    return [int((place.work / name).read_text()) for name in names]


def nothing_is_left(folder, found):
    until(lambda: not any(map(is_alive, found)))
    until(lambda: not folder.is_held())
    run = folder.read()
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in (run.holder, run.warden, *found)))


def test_what_a_client_leaves_behind_ends_with_it(place):
    """When a client ends by itself, all its children end, also those that ignore SIGTERM."""
    folder = place.start(family(place, "sys.exit(0)"))
    found = pids(place)

    nothing_is_left(folder, found)
    assert folder.read().ending.code == 0


def test_a_client_that_does_not_listen_is_made_to_end(place):
    """Stopping a run kills a client and children that ignore SIGTERM."""
    folder = place.start(family(place, ignores=True))
    found = pids(place)

    end(folder)

    nothing_is_left(folder, found)
    assert folder.read().ending.code == -signal.SIGKILL


def test_killing_the_holder_leaves_no_client(place):
    """After the holder was killed, all other processes end, and the run has the phase `lost`."""
    folder = place.start(family(place))
    found = pids(place)

    kill(folder.read().holder)

    nothing_is_left(folder, found)
    assert folder.phase(folder.read()) == "lost"


def test_killing_the_warden_leaves_no_client(place):
    """The client dies with the warden, and the holder ends the other processes and writes what happened."""
    folder = place.start(family(place))
    found = pids(place)

    kill(folder.read().warden)

    nothing_is_left(folder, found)
    ending = folder.read().ending
    assert ending is not None and ending.words.startswith("its warden was killed, and the client with it")


def test_a_client_does_not_outlive_both(place):
    """If holder and warden are killed together, the client dies too."""
    folder = place.start(family(place))
    *others, client = pids(place)
    run = folder.read()

    os.kill(run.warden, signal.SIGSTOP)
    kill(run.holder)
    kill(run.warden)

    until(lambda: not is_alive(client))
    for pid in others:
        os.kill(pid, signal.SIGKILL)


def test_a_holder_that_is_asked_to_end_ends_its_run(place):
    folder = place.start(family(place))
    found = pids(place)

    os.kill(folder.read().holder, signal.SIGTERM)

    nothing_is_left(folder, found)
    assert folder.read().ending.words == "stopped"


def test_a_client_that_crashes_is_written_down(place):
    """The ending of a crashed client contains its exit code and its last error output."""
    folder = place.start(family(place, "print('out of luck', file=sys.stderr, flush=True)\nos.abort()"))
    found = pids(place)

    nothing_is_left(folder, found)
    ending = folder.read().ending
    assert ending.code == -signal.SIGABRT
    assert ending.is_failure
    assert "out of luck" in ending.words


@pytest.mark.long
@pytest.mark.parametrize("round_", range(10))
@pytest.mark.parametrize("way", ["exit", "stop", "holder", "warden"])
def test_nothing_is_left_forty_times(place, way, round_):
    folder = place.start(family(place, "sys.exit(0)" if way == "exit" else WAITS))
    found = pids(place)
    if way == "stop":
        end(folder)
    elif way != "exit":
        kill(getattr(folder.read(), way))

    nothing_is_left(folder, found)


@pytest.mark.parametrize("is_kept_stopped", [False, True])
def test_a_stopped_warden_ends_the_run(place, is_kept_stopped):
    """A warden that is stopped, even again and again, cannot keep its client alive: the run ends as tampered with."""
    folder = place.start(family(place))
    found = pids(place)
    warden = folder.read().warden

    os.kill(warden, signal.SIGSTOP)
    if is_kept_stopped:
        until(lambda: _stop_again(warden))

    nothing_is_left(folder, found)
    assert "its warden was stopped" in folder.read().tampering


def test_a_run_with_a_stopped_warden_can_be_stopped(place):
    """Stopping a run also ends it if its warden was stopped a moment before."""
    folder = place.start(family(place, ignores=True))
    found = pids(place)

    os.kill(folder.read().warden, signal.SIGSTOP)
    end(folder)

    nothing_is_left(folder, found)


def test_a_stopped_holder_ends_its_run(place):
    """The warden ends the client of a stopped holder, and when the holder goes on, it says that it was stopped."""
    folder = place.start(family(place))
    found = pids(place)
    holder = folder.read().holder

    os.kill(holder, signal.SIGSTOP)
    until(lambda: not any(map(is_alive, found)))
    os.kill(holder, signal.SIGCONT)

    nothing_is_left(folder, found)
    assert "its holder was stopped" in folder.read().tampering


def test_a_holder_and_warden_that_were_stopped_together_end_the_run(place):
    """If both were stopped, the run ends when they go on, however short it was and in whatever order."""
    folder = place.start(family(place))
    found = pids(place)
    run = folder.read()

    for pid in (run.warden, run.holder):
        os.kill(pid, signal.SIGSTOP)
    for pid in (run.warden, run.holder):
        os.kill(pid, signal.SIGCONT)

    nothing_is_left(folder, found)
    assert "was stopped" in folder.read().tampering


def test_a_service_manager_may_wake_a_holder_that_it_ends(place):
    """A service manager sends SIGCONT with SIGTERM: that is an ordinary end, and no tampering."""
    folder = place.start(family(place))
    found = pids(place)
    holder = folder.read().holder

    os.kill(holder, signal.SIGTERM)
    os.kill(holder, signal.SIGCONT)

    nothing_is_left(folder, found)
    assert (folder.read().tampering, folder.read().ending.words) == ("", "stopped")


def _stop_again(pid):
    """Stops a process once more; returns whether it is gone."""
    try:
        os.kill(pid, signal.SIGSTOP)
    except ProcessLookupError:
        return True
    return not is_alive(pid)
