"""Keeps named pipes, devices and sockets apart from files: reading one does not block, and none is replaced."""

import errno
import os
import stat
from pathlib import Path

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def read_regular(path: Path) -> bytes:
    """Return the content of a file. A link is followed. Raises OSError for everything that is not a regular file."""
    fd = os.open(path, _FLAGS)
    with os.fdopen(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, "is not a regular file")
        return file.read()


def is_special(path: Path) -> bool:
    """Return whether a named pipe, a device or a socket has this name, or a link that leads to one: `/dev/stdout`."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
