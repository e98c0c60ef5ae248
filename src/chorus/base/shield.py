"""Keeps other programs of the same user out of this process: its memory, and the files and sockets it has open.

An agent runs under the person's own user id. Without this it could read a passphrase from memory, or take the socket
over which the holder answers the client. Root is not kept out.
"""

import contextlib
import ctypes
import sys
from pathlib import Path

_LINUX_GET_DUMPABLE, _LINUX_SET_DUMPABLE = 3, 4
_MACOS_DENY_ATTACH = 31
_FREEBSD_TRACE_CONTROL, _FREEBSD_TRACE_DISABLE = 7, 2


def raise_shield() -> bool:
    """Refuse debuggers, core dumps, `/proc/PID/mem` and `pidfd_getfd` from now on. Returns whether that succeeded.

    A program that replaces this process (`exec`) starts without the shield; a forked child keeps it. Call this before
    the process has any secrets.
    """
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "linux":
            libc.prctl(_LINUX_SET_DUMPABLE, 0, 0, 0, 0)
            return libc.prctl(_LINUX_GET_DUMPABLE, 0, 0, 0, 0) == 0
        if sys.platform == "darwin":
            return libc.ptrace(_MACOS_DENY_ATTACH, 0, None, 0) == 0
        if sys.platform.startswith("freebsd"):
            wanted = ctypes.c_int(_FREEBSD_TRACE_DISABLE)
            return libc.procctl(0, ctypes.c_int64(0), _FREEBSD_TRACE_CONTROL, ctypes.byref(wanted)) == 0
    except (OSError, AttributeError, TypeError):
        # `CDLL(None)` does not work on Windows.
        return False
    return False


def tracer() -> int:
    """Return the id of the process that debugs this one and so sees everything in it; 0 if there is none or unknown."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        lines = Path("/proc/self/status").read_text("ascii", "replace").splitlines()
        return int(next(line for line in lines if line.startswith("TracerPid:")).split()[1])
    return 0
