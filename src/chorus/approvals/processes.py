"""What the system says about processes: whether one still is the one it was, and whose child it is.

Linux tells it in /proc; elsewhere `ps` is asked, by its full path, with nothing of ours in its arguments but a number.
"""

import contextlib
import os
import subprocess
from functools import cache
from pathlib import Path

from msgspec import Struct

from chorus.approvals.model import Asker

RUN_VARIABLE = "CHORUS_RUN"
"""Set in the environment of everything that a supervised agent starts."""
HOLDER = "chorus.holding"
"""The module that holds a run: what stands below it is the agent's."""
HOLDING = "/chorus/holding/"
"""The same, where a program of it is called by its path."""
_PROC = Path("/proc")
_PS = "/bin/ps"
_PATIENCE_S = 5.0
_FURTHEST = 200


class _Seen(Struct, frozen=True):
    parent: int
    started_at: str
    command: str


def this_process() -> Asker:
    """The process that calls, as an asker."""
    pid = os.getpid()
    seen = _look(pid)
    return Asker(pid, seen.started_at if seen else "")


def is_alive(asker: Asker) -> bool:
    """Whether the very process still runs; where the system cannot tell, it does not."""
    if not 0 < asker.pid < 1 << 31:
        return False
    seen = _look(asker.pid)
    return seen is not None and bool(seen.started_at) and seen.started_at == asker.started_at


def supervisor() -> str | None:
    """Why this process counts as part of a supervised run; None when it does not. In doubt it does."""
    if os.environ.get(RUN_VARIABLE):
        return f"{RUN_VARIABLE} is set"
    pid = os.getpid()
    for _ in range(_FURTHEST):
        seen = _look(pid)
        if seen is None:
            return None if _is_anothers(pid) else f"process {pid} above it cannot be looked at"
        if any(word == HOLDER or HOLDING in word for word in seen.command.split()):
            return f"process {pid} above it holds a run"
        if _has_mark(pid):
            return f"process {pid} above it is part of a run"
        if seen.parent <= 0 or seen.parent == pid:
            return None
        pid = seen.parent
    return "too many processes stand above it"


def _look(pid: int) -> _Seen | None:
    return _from_proc(pid) if _has_proc() else _from_ps(pid)


@cache
def _has_proc() -> bool:
    return (_PROC / "self" / "stat").exists()


def _from_proc(pid: int) -> _Seen | None:
    try:
        stat = (_PROC / str(pid) / "stat").read_bytes()
        command = (_PROC / str(pid) / "cmdline").read_bytes()
    except OSError:
        return None
    # The name of the program stands in brackets and may hold anything, brackets too.
    fields = stat.rpartition(b")")[2].split()
    if len(fields) < 20 or fields[0] in (b"Z", b"X"):
        return None
    told = command.replace(b"\0", b" ").decode("utf-8", "replace")
    return _Seen(int(fields[1]), f"{_boot()}-{int(fields[19])}", told)


@cache
def _boot() -> str:
    """Which run of the machine this is: ticks since its start mean nothing in another."""
    try:
        return (_PROC / "sys" / "kernel" / "random" / "boot_id").read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _from_ps(pid: int) -> _Seen | None:
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
    return _Seen(int(words[0]), " ".join(words[1:6]), words[6] if len(words) > 6 else "")


def _is_anothers(pid: int) -> bool:
    """Whether a process belongs to another user: some systems show nothing of those, and an agent is none."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return False


def _has_mark(pid: int) -> bool:
    """Whether a process was started with the mark of a run; one of another user is not looked into."""
    with contextlib.suppress(OSError):
        given = (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
        return any(each.startswith(f"{RUN_VARIABLE}=".encode()) for each in given)
    return False
