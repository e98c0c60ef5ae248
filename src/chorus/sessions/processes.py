"""Whether the process of an entry still is the one that wrote it: a number alone may belong to another by now."""

import os
from functools import cache
from pathlib import Path

from chorus.sessions.entry import Running

_PROC = Path("/proc")
_SLACK_MS = 5_000
"""A client writes its entry after it was started; clocks are read in steps."""


def is_alive(running: Running) -> bool:
    """Whether the client of an entry runs on this machine; where that cannot be told, it does not."""
    if not _is_own_space(running.process_space):
        return False
    if not _has_proc():
        return _answers(running.pid)
    ticks = _start_ticks(running.pid)
    if ticks is None:
        return False
    if running.process_start is not None:
        return running.process_start == str(ticks)
    # Clients that do not tell: whoever began after the entry was made did not make it.
    return running.started_at_ms is None or _started_ms(ticks) <= running.started_at_ms + _SLACK_MS


def _is_own_space(told: str | None) -> bool:
    """Whether a pid means the same to us: a home may be shared with a container that counts its own."""
    own = _own_space()
    return told is None or own is None or ":pid:[" not in told or told.endswith(f":{own}")


@cache
def _own_space() -> str | None:
    try:
        return os.readlink(_PROC / "self" / "ns" / "pid")  # noqa: PTH115 - its target is no path
    except OSError:
        return None


@cache
def _has_proc() -> bool:
    return (_PROC / "self" / "stat").exists()


def _start_ticks(pid: int) -> int | None:
    """When the process began, in ticks since the machine did; None when there is none, or only its remains."""
    try:
        stat = (_PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return None
    # The name of the program stands in brackets and may hold anything, brackets too.
    fields = stat.rpartition(b")")[2].split()
    if len(fields) < 20 or fields[0] in (b"Z", b"X") or not fields[19].isdigit():
        return None
    return int(fields[19])


def _started_ms(ticks: int) -> int:
    return int((_booted_s() + ticks / os.sysconf("SC_CLK_TCK")) * 1_000)


@cache
def _booted_s() -> int:
    try:
        lines = (_PROC / "stat").read_bytes().splitlines()
    except OSError:
        return 0
    return next((int(line[6:]) for line in lines if line.startswith(b"btime ")), 0)


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (OSError, OverflowError):
        return False
    return True
