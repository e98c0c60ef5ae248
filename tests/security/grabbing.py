"""Tries what a program can do to another process of its user: read it, write into it, take its open descriptors.

Run alone, `grabbing.py PID` prints one JSON object with the result of each way. It needs no code of Chorus.
"""

import ctypes
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

_ATTACH, _DETACH = 16, 17
_PIDFD_OPEN, _PIDFD_GETFD, _READV = 434, 438, 310
_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


class _Piece(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("size", ctypes.c_size_t))


def by_ptrace(pid: int) -> str:
    if _libc.ptrace(_ATTACH, pid, None, None):
        return _failed()
    os.waitpid(pid, 0x40000000)
    _libc.ptrace(_DETACH, pid, None, None)
    return "attached"


def by_gdb(pid: int) -> str:
    if not (gdb := shutil.which("gdb")):
        return "refused: gdb is not installed"
    call = [gdb, "-nx", "-batch", "-p", str(pid), "-ex", "info inferiors"]
    said = subprocess.run(call, capture_output=True, text=True, check=False, timeout=60)
    is_in = f"process {pid}" in said.stdout and "Operation not permitted" not in said.stderr
    return "attached" if is_in else f"refused: {said.stderr.strip()[-200:]}"


def by_mem(pid: int) -> str:
    try:
        with Path(f"/proc/{pid}/mem").open("rb+", buffering=0) as memory:
            memory.seek(_start(pid))
            return f"read {len(memory.read(8))} bytes"
    except OSError as error:
        return f"refused: {error.strerror}"


def by_environ(pid: int) -> str:
    try:
        return f"read {len(Path(f'/proc/{pid}/environ').read_bytes())} bytes"
    except OSError as error:
        return f"refused: {error.strerror}"


def by_readv(pid: int) -> str:
    place = ctypes.create_string_buffer(8)
    mine, theirs = _Piece(ctypes.addressof(place), 8), _Piece(_start(pid), 8)
    got = _libc.syscall(_READV, pid, ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0)
    return f"read {got} bytes" if got > 0 else _failed()


def taken(pid: int) -> tuple[list[int], str]:
    """Returns every descriptor of a process that could be taken, and the last reason why one could not."""
    found, reason = [], "refused: it has none"
    process = _libc.syscall(_PIDFD_OPEN, pid, 0)
    if process < 0:
        return [], _failed()
    for number in range(64):
        fd = _libc.syscall(_PIDFD_GETFD, process, number, 0)
        if fd >= 0:
            found.append(fd)
        elif ctypes.get_errno() != 9:
            reason = _failed()
    return found, reason


def by_getfd(pid: int) -> str:
    found, reason = taken(pid)
    for fd in found:
        os.close(fd)
    return f"took {len(found)}" if found else reason


WAYS = (by_ptrace, by_gdb, by_mem, by_environ, by_readv, by_getfd)


def _start(pid: int) -> int:
    """Returns an address in its memory; any address if the map is not readable."""
    try:
        with Path(f"/proc/{pid}/maps").open() as maps:
            return int(maps.readline().partition("-")[0], 16)
    except (OSError, ValueError):
        return 1 << 20


def _failed() -> str:
    return f"refused: {os.strerror(ctypes.get_errno())}"


if __name__ == "__main__":
    print(json.dumps({way.__name__[3:]: way(int(sys.argv[1])) for way in WAYS}))
