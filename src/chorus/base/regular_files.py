"""Reads files that should be regular files: a named pipe or a device in the place of one does not block."""

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
