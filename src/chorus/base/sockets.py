"""Unix sockets by folder and name, for this user only, also in folders with a long path; and their peers."""

import contextlib
import os
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

_LONGEST = 100
"""Systems limit the paths of sockets to about this many bytes."""
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


class Peer(Struct, frozen=True):
    """The process at the other end, at the time of the connection, and its user."""

    pid: int
    uid: int


def bound(folder: Path, name: str) -> socket.socket:
    """Return a socket of mode 600 that is bound to that name; an existing file is removed."""
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _reachable(folder, name) as path:
            (folder / name).unlink(missing_ok=True)
            before = os.umask(0o177)
            try:
                channel.bind(path)
            finally:
                os.umask(before)
    except BaseException:
        channel.close()
        raise
    return channel


def connected(folder: Path, name: str) -> socket.socket:
    """Return a connection to the listening socket. Raises OSError if no process listens."""
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _reachable(folder, name) as path:
            channel.connect(path)
    except BaseException:
        channel.close()
        raise
    return channel


def is_listened_at(folder: Path, name: str) -> bool:
    """Return whether a process listens at the socket, without waiting for it. Raises OSError if that is not known."""
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    channel.setblocking(False)
    try:
        with _reachable(folder, name) as path:
            channel.connect(path)
    except ConnectionRefusedError:
        return False
    except BlockingIOError:
        return True  # Others wait for it, too.
    finally:
        channel.close()
    return True


def peer(channel: socket.socket) -> Peer | None:
    """Return the process at the other end; None if the system does not report it.

    The folder's mode is then the only check.
    """
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return None
    pid, uid, _ = struct.unpack("3i", channel.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i")))
    return Peer(pid, uid)


def is_own(channel: socket.socket) -> bool:
    """Return whether the other end belongs to this user."""
    other = peer(channel)
    return other is None or other.uid == os.getuid()


@contextlib.contextmanager
def _reachable(folder: Path, name: str) -> Iterator[str]:
    """Yield a path to the socket that is short enough for the system."""
    path = str(folder / name)
    if len(os.fsencode(path)) <= _LONGEST:
        yield path
        return
    fd = os.open(folder, _FOLDER)
    try:
        if os.path.isdir(f"/proc/self/fd/{fd}"):  # noqa: PTH112 - not a file of Chorus
            yield f"/proc/self/fd/{fd}/{name}"
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
