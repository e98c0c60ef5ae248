"""Sockets in a folder of this user's: opened for nobody else, reached by paths of any length, and the other end asked.

`hooks/client.py` does without it: that file has to stand alone.
"""

import contextlib
import os
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

_LONGEST = 100
"""Systems cut the paths of sockets at about so many bytes."""


def open_socket(folder: Path, name: str) -> socket.socket:
    """A socket of mode 600 under that name, to be listened at; what lay there before is removed."""
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with reachable(folder, name) as path:
            with contextlib.suppress(FileNotFoundError):
                (folder / name).unlink()
            before = os.umask(0o177)
            try:
                channel.bind(path)
            finally:
                os.umask(before)
    except BaseException:
        channel.close()
        raise
    return channel


def is_own(channel: socket.socket) -> bool:
    """Whether the other end is this user; where the system does not tell, the folder's mode has to do."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return True
    _, uid, _ = struct.unpack("3i", channel.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i")))
    return uid == os.getuid()


@contextlib.contextmanager
def reachable(folder: Path, name: str) -> Iterator[str]:
    """A path to the socket that is short enough for the system."""
    path = str(folder / name)
    if len(os.fsencode(path)) <= _LONGEST:
        yield path
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        by_number = f"/proc/self/fd/{fd}/{name}"
        if os.path.isdir(f"/proc/self/fd/{fd}"):  # noqa: PTH112 - no file of ours
            yield by_number
            return
        before = os.open(".", os.O_RDONLY)
        try:
            os.fchdir(fd)
            yield name
        finally:
            os.fchdir(before)
            os.close(before)
    finally:
        os.close(fd)
