"""The process between the holder and the client. When either of them ends, it ends everything that is left.

Run as a script, by its path, with the standard library alone. It starts the client in a new session and adopts every
orphan below it (on Linux). When the client ends, when it is told to stop, when the holder is gone (its end of the
socket closes, however it died), or when the holder is stopped by a signal (on Linux), every process that is left below
it is asked to end, and then killed.

    warden.py SOCKET-DESCRIPTOR GRACE-SECONDS PROGRAM ARGUMENT…

It sends the holder one JSON object per line: `started` (a pid), `failed` (why), `exited` (the code; negative for a
signal), `swept` (nothing is left). Any byte from the holder means stop.
"""

import contextlib
import ctypes
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

_SET_DEATH_SIGNAL, _SET_DUMPABLE, _SET_SUBREAPER = 1, 4, 36
_REST_S = 1.0
"""How long processes that the client left behind may take to end by themselves."""
_LOOK_AGAIN_S = 0.02
_WATCH_S = 1.0
"""The time between two looks at the holder."""


def adopt_orphans() -> None:
    """Makes this process adopt orphans below it; does nothing if the system does not support that."""
    _prctl(_SET_SUBREAPER, 1)


def below(pid: int) -> list[int]:
    """Returns every living process below `pid` that the system reports."""
    children: dict[int, list[int]] = {}
    for name in _listed("/proc"):
        if name.isdecimal() and (parent := _parent_of(int(name))) is not None:
            children.setdefault(parent, []).append(int(name))
    found: list[int] = []
    waiting = [pid]
    while waiting:
        mine = children.get(waiting.pop(), [])
        found += mine
        waiting += mine
    return found


def _parent_of(pid: int) -> int | None:
    """Returns the parent of a living process; None if it does not live or is a zombie."""
    state, parent = _stat_of(pid)
    return None if state in (b"", b"Z", b"X") else int(parent)


def _state_of(pid: int) -> bytes:
    """Returns the letter of a process's state, such as `T` for stopped; empty if it is not known."""
    return _stat_of(pid)[0]


def _stat_of(pid: int) -> tuple[bytes, bytes]:
    """Returns the state of a process and its parent; empty if they are not known."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123 - asked for every process
            # The name in parentheses may contain anything, also parentheses.
            state, parent = file.read().rpartition(b")")[2].split()[:2]
    except (OSError, ValueError):
        return b"", b""
    return state, parent


def sweep(spared: set[int] | None = None) -> None:
    """Ends everything below this process except the spared processes and their children.

    They get SIGTERM first, and SIGKILL after a while.
    """
    until = time.monotonic() + _REST_S
    asked: set[int] = set()
    while left := _left(spared or set()):
        for pid in left:
            if time.monotonic() >= until:
                _signal(pid, signal.SIGKILL)
            elif pid not in asked:
                asked.add(pid)
                _signal(pid, signal.SIGTERM)
                # A stopped process handles no other signal.
                _signal(pid, signal.SIGCONT)
        reap()
        time.sleep(_LOOK_AGAIN_S)
    reap()


def reap() -> Iterator[tuple[int, int]]:
    """Collects the exit codes of all ended children: pid and code, a signal as a negative number."""
    found: list[tuple[int, int]] = []
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                break
            found.append((pid, os.waitstatus_to_exitcode(status)))
    return iter(found)


class Warden:
    """One client, from its start until no process of it is left."""

    def __init__(self, control: socket.socket, grace_s: float) -> None:
        self._control = control
        self._grace_s = grace_s
        self._holder = os.getppid()
        self._wake, wake = os.pipe()
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        for number in (signal.SIGCHLD, signal.SIGTERM):
            signal.signal(number, lambda *_: None)
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)

    def start(self, command: list[str]) -> int | None:
        """Starts the client; returns None if that failed, after reporting it to the holder."""
        me = os.getpid()
        try:
            client = subprocess.Popen(  # noqa: S603 - a list, and no shell
                command,
                start_new_session=True,
                preexec_fn=lambda: _die_with(me),  # noqa: PLW1509 - there is one thread
                restore_signals=True,
            )
        except OSError as error:
            self._send(failed=f"{command[0]}: {error.strerror or error}")
            return None
        finally:
            _release_standard_streams()
        client.returncode = 0  # It is reaped here, by number.
        self._send(started=client.pid)
        return client.pid

    def watch(self, client: int) -> None:
        """Waits until the client has ended."""
        kill_at: float | None = None
        is_connected = True
        while True:
            wait = _WATCH_S if kill_at is None else max(0.0, kill_at - time.monotonic())
            ready, _, _ = select.select([self._wake, *([self._control] if is_connected else [])], [], [], wait)
            ended = [code for pid, code in reap() if pid == client]
            if ended:
                self._send(exited=ended[0])
                return
            # Nobody would see what the client does while its holder is stopped.
            is_stop_requested = _state_of(self._holder) == b"T"
            if self._wake in ready:
                is_stop_requested |= bytes([signal.SIGTERM]) in os.read(self._wake, 512)
            if self._control in ready:
                is_connected = bool(_received(self._control))
                is_stop_requested = True
            if kill_at is not None and time.monotonic() >= kill_at:
                for pid in [client, *below(os.getpid())]:
                    _signal(pid, signal.SIGKILL)
                kill_at = time.monotonic() + self._grace_s
            elif is_stop_requested and kill_at is None:
                kill_at = time.monotonic() + self._grace_s
                with contextlib.suppress(OSError):
                    os.killpg(client, signal.SIGTERM)
                    os.killpg(client, signal.SIGCONT)

    def finish(self, client: int) -> None:
        """Ends the processes that the client left behind."""
        with contextlib.suppress(OSError):
            # If the system does not list the processes below, at least the process group is known.
            os.killpg(client, signal.SIGTERM)
        sweep()
        with contextlib.suppress(OSError):
            os.killpg(client, signal.SIGKILL)
        self._send(swept=True)

    def _send(self, **word: Any) -> None:
        with contextlib.suppress(OSError):
            self._control.sendall(json.dumps(word).encode() + b"\n")


def main(arguments: list[str]) -> int:
    descriptor, grace_s, *command = arguments
    # As `chorus.base.shield` does, which is not imported here: processes that the client starts cannot access this one.
    _prctl(_SET_DUMPABLE, 0)
    adopt_orphans()
    os.set_inheritable(int(descriptor), False)
    warden = Warden(socket.socket(fileno=int(descriptor)), float(grace_s))
    client = warden.start(command)
    if client is None:
        return 1
    warden.watch(client)
    warden.finish(client)
    return 0


def _die_with(parent: int) -> None:
    """Runs in the child before it becomes the client: makes it die with the warden."""
    _prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _release_standard_streams() -> None:
    """Releases the client's pipes: a pipe ends only when no process has it open."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)


def _left(spared: set[int]) -> list[int]:
    kept = spared | {pid for each in spared for pid in below(each)}
    return [pid for pid in below(os.getpid()) if pid not in kept]


def _received(control: socket.socket) -> bytes:
    try:
        return control.recv(64)
    except OSError:
        return b""


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, number)


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - names are all that is wanted
    except OSError:
        return []


def _prctl(option: int, value: int) -> None:
    if _libc is not None:
        _libc.prctl(option, value, 0, 0, 0)


# Loaded before any fork, because loading a library after a fork is not safe.
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
