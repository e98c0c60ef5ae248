"""Facts about processes: what a process id means, its parent, and whether it runs below a supervised agent.

On Linux they come from /proc; elsewhere from `ps`, called by its full path with only a number in its arguments.
"""

import contextlib
import os
import subprocess
from functools import cache
from pathlib import Path

from msgspec import Struct

from chorus.core.protocol.environment import RUN_VARIABLE

HOLDER = "chorus.steer.runs"
"""The module that holds a run: every process below it belongs to the agent."""
HOLDER_FOLDER = f"/{HOLDER.replace('.', '/')}/"
"""The same for a program of the holder that is started by its path, such as the warden."""
_PROC = Path("/proc")
_PS = "/bin/ps"
_PATIENCE_S = 5.0
_FURTHEST = 200


class Process(Struct, frozen=True):
    """A running process."""

    parent: int
    started_at: str
    """Equal only for the same process; a process id may be used again for another one."""
    command: str
    ticks: int | None = None
    """When it began, counted from the start of the machine; None if the system does not report that."""


def look(pid: int) -> Process | None:
    """Return the process that has this id now.

    Returns None if there is no such process, if it is a zombie, or if the system does not report it.
    """
    if not 0 < pid < 1 << 31:
        return None
    return _from_proc(pid) if has_proc() else _from_ps(pid)


def answers(pid: int) -> bool:
    """Return whether any process has this id. This is the only check that works everywhere at no cost."""
    try:
        os.kill(pid, 0)
    except (OSError, OverflowError):
        return False
    return True


def is_hidden(pid: int) -> bool:
    """Return whether a process of this user exists but /proc does not show it, as `hidepid` does with shielded ones."""
    return 0 < pid < 1 << 31 and has_proc() and answers(pid) and not os.access(_PROC / str(pid) / "stat", os.R_OK)


def supervisor(pid: int | None = None) -> str | None:
    """Return why a process (by default this one) counts as part of a supervised run, or None if it does not.

    The warden carries the mark of its run, and every orphan below a warden becomes its child again (on Linux), so no
    process can hide its origin by leaving its parent or clearing its environment. In doubt the process counts as part
    of a run.
    """
    if pid is None and os.environ.get(RUN_VARIABLE):
        return f"{RUN_VARIABLE} is set"
    above = _own_pid() if pid is None else pid
    for _ in range(_FURTHEST):
        seen = look(above)
        if seen is None:
            return None if _is_other_users(above) else f"process {above} above it cannot be inspected"
        if any(word == HOLDER or HOLDER_FOLDER in word for word in seen.command.split()):
            return f"process {above} above it holds a run"
        if _has_mark(above):
            return f"process {above} above it is part of a run"
        if seen.parent <= 0 or seen.parent == above:
            return None
        above = seen.parent
    return "too many processes are above it"


def started_ms(ticks: int) -> int:
    """Convert `ticks` since the start of the machine to milliseconds since 1970."""
    return int((_booted_s() + ticks / os.sysconf("SC_CLK_TCK")) * 1_000)


def _own_pid() -> int:
    """Return the id of this process as /proc counts: inside a PID namespace, the process itself sees another id."""
    with contextlib.suppress(OSError, ValueError):
        return int(os.readlink(_PROC / "self"))  # noqa: PTH115 - its target is a number
    return os.getpid()


@cache
def own_space() -> str | None:
    """Return the PID namespace of this process; a container has its own."""
    try:
        return os.readlink(_PROC / "self" / "ns" / "pid")  # noqa: PTH115 - its target is no path
    except OSError:
        return None


@cache
def has_proc() -> bool:
    return (_PROC / "self" / "stat").exists()


def _from_proc(pid: int) -> Process | None:
    try:
        stat = (_PROC / str(pid) / "stat").read_bytes()
        command = (_PROC / str(pid) / "cmdline").read_bytes()
    except OSError:
        return None
    # The name of the program is in parentheses and may contain anything, including parentheses.
    fields = stat.rpartition(b")")[2].split()
    if len(fields) < 20 or fields[0] in (b"Z", b"X"):
        return None
    ticks = int(fields[19])
    text = command.replace(b"\0", b" ").decode("utf-8", "replace")
    return Process(int(fields[1]), f"{_boot()}-{ticks}", text, ticks)


@cache
def _boot() -> str:
    """Return the boot id of the machine: ticks since its start mean nothing after another boot."""
    try:
        return (_PROC / "sys" / "kernel" / "random" / "boot_id").read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""


@cache
def _booted_s() -> int:
    try:
        lines = (_PROC / "stat").read_bytes().splitlines()
    except OSError:
        return 0
    return next((int(line[6:]) for line in lines if line.startswith(b"btime ")), 0)


def _from_ps(pid: int) -> Process | None:
    call = [_PS, "-o", "ppid=,lstart=,command=", "-p", str(pid)]
    try:
        done = subprocess.run(  # noqa: S603 - a path of the system's and a number
            call, capture_output=True, text=True, timeout=_PATIENCE_S, check=False, env={"LC_ALL": "C"}
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    words = done.stdout.split(None, 6)
    if done.returncode or len(words) < 6 or not words[0].isdigit():
        return None
    return Process(int(words[0]), " ".join(words[1:6]), words[6] if len(words) > 6 else "")


def _is_other_users(pid: int) -> bool:
    """Return whether a process belongs to another user. Some systems hide those, and an agent is never one of them."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return False


def _has_mark(pid: int) -> bool:
    """Return whether a process was started with the mark of a run; processes of other users cannot be read."""
    with contextlib.suppress(OSError):
        given = (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
        return any(each.startswith(f"{RUN_VARIABLE}=".encode()) for each in given)
    return False
