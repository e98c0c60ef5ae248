"""The door to files of other programs: whatever a client, an agent or anybody else may have put in its folders.

Only regular files are opened: a pipe would block for ever, a device has no end. Links are followed as long as they stay
inside the folders that a person named (`Bounds`). What is left out for such a reason is a `Skip`, and is reported.
"""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from chorus.errors import SourceSkipped, SourceUnreadable

_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_KINDS = (
    (stat.S_ISDIR, "is a folder"),
    (stat.S_ISFIFO, "is a named pipe"),
    (stat.S_ISSOCK, "is a socket"),
    (stat.S_ISCHR, "is a device"),
    (stat.S_ISBLK, "is a device"),
)

Name = str | os.PathLike[str]


class Skip(NamedTuple):
    """Something below a source that was not read, and why."""

    path: str
    reason: str
    is_failure: bool
    """Whether it should have been read and could not be; else it is none of what Chorus reads."""

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


Skips = Callable[[Skip], None]
"""Told of everything that is left out."""


def ignore(_skip: Skip) -> None:
    """For callers that only look: what they miss is reported by the pass over the same files."""


class Bounds:
    """The folders that files may lie in; links may lead from one of them into another, and no further."""

    def __init__(self, *folders: Name) -> None:
        self.roots = tuple(dict.fromkeys(os.path.realpath(folder) for folder in folders))
        self._prefixes = tuple(os.path.join(root, "") for root in self.roots)

    @classmethod
    def exactly(cls, real: str) -> "Bounds":
        """One file, by the path it had when it was found: none that lies elsewhere now, whatever leads to it."""
        bounds = cls()
        bounds.roots = (real,)
        return bounds

    def hold(self, real: str) -> bool:
        """Whether a path without links lies in them."""
        return real.startswith(self._prefixes) or real in self.roots


def open_file(path: Name, bounds: Bounds | None, buffer_bytes: int = -1) -> BinaryIO:
    """A regular file, open for reading, that lies within the bounds; None for one that a person named.

    `SourceSkipped` for anything else, `SourceUnreadable` when it cannot be opened. Never blocks.
    """
    name = os.fspath(path)
    try:
        _refuse_special(name, os.stat(name).st_mode)
        fd = os.open(name, _READ)
    except (OSError, ValueError) as error:
        raise _unreadable(name, error) from error
    try:
        # What lies there may have been exchanged since: only what is open counts.
        status = os.fstat(fd)
        _refuse_special(name, status.st_mode)
        if bounds is not None:
            _refuse_beyond(bounds, name, real_path(fd, name))
            _refuse_shared(name, status)
        return os.fdopen(fd, "rb", buffer_bytes)
    except BaseException:
        os.close(fd)
        raise


def read_file(path: Name, bounds: Bounds | None, most_bytes: int) -> bytes | None:
    """All of a small file; None when there is none. `SourceSkipped` also for one that is larger than that."""
    try:
        with open_file(path, bounds) as file:
            data = file.read(most_bytes + 1)
    except OSError as error:
        raise _unreadable(os.fspath(path), error) from error
    except SourceUnreadable as error:
        if isinstance(error.__cause__, (FileNotFoundError, NotADirectoryError)):
            return None
        raise
    if len(data) > most_bytes:
        raise SourceSkipped(f"{os.fspath(path)}: is larger than {most_bytes:,} bytes, which is too large to be one")
    return data


def look_at(path: Name, bounds: Bounds | None, most_bytes: int) -> bytes | None:
    """The first bytes of a file, for who only looks: None for whatever cannot be had."""
    try:
        with open_file(path, bounds) as file:
            return file.read(most_bytes)
    except (SourceUnreadable, OSError):
        return None


def listed(folder: Name, bounds: Bounds | None) -> list[os.DirEntry[str]]:
    """What a folder holds, in no order; nothing when it is not there.

    `SourceSkipped` when it lies beyond the bounds, `SourceUnreadable` when it cannot be listed.
    """
    name = os.fspath(folder)
    try:
        if bounds is not None:
            _refuse_beyond(bounds, name, os.path.realpath(name))
        with os.scandir(name) as entries:
            return list(entries)
    except FileNotFoundError:
        return []
    except NotADirectoryError:
        if not os.path.lexists(name):
            return []
        raise SourceSkipped(f"{name}: is not a folder") from None
    except (OSError, ValueError) as error:
        raise _unreadable(name, error) from error


def files_below(folder: Name, bounds: Bounds, skips: Skips) -> Iterator[Path]:
    """Every file below a folder in order of names, whatever it is; links to folders are not followed."""
    try:
        found = sorted(listed(folder, bounds), key=lambda entry: entry.name)
    except SourceUnreadable as error:
        skips(skip_of(folder, error))
        return
    for entry in found:
        if entry.is_dir(follow_symlinks=False):
            yield from files_below(entry.path, bounds, skips)
        elif entry.is_symlink() and os.path.isdir(entry.path):
            skips(Skip(entry.path, f"is a link to {os.path.realpath(entry.path)}, and is not followed", False))
        else:
            yield Path(entry.path)


def skip_of(path: Name, error: SourceUnreadable) -> Skip:
    """What is to be reported of a refusal."""
    name = os.fspath(path)
    return Skip(name, str(error).removeprefix(f"{name}: "), not isinstance(error, SourceSkipped))


def special(mode: int) -> str | None:
    """Why a file of this mode is not opened; None for a regular one."""
    if stat.S_ISREG(mode):
        return None
    return next((words for is_kind, words in _KINDS if is_kind(mode)), "is not a regular file")


def leads_out(real: str) -> str:
    """Why a link is not followed."""
    return f"leads out of its folder to {real}"


def _refuse_special(name: str, mode: int) -> None:
    if reason := special(mode):
        raise SourceSkipped(f"{name}: {reason}")


def _refuse_beyond(bounds: Bounds, name: str, real: str) -> None:
    if not bounds.hold(real):
        raise SourceSkipped(f"{name}: {leads_out(real)}")


def _refuse_shared(name: str, status: os.stat_result) -> None:
    """Of this user's own file a second name is as good as a copy; of another user's it is a way out of the bounds."""
    if status.st_nlink > 1 and hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        raise SourceSkipped(f"{name}: is another user's file, which has a second name elsewhere")


def real_path(fd: int, name: str) -> str:
    """Where the open file lies: as the system says, else by its name if that still leads to it."""
    try:
        real = os.readlink(f"/proc/self/fd/{fd}")
    except OSError:
        real = ""
    if real.startswith("/"):
        return real
    real = os.path.realpath(name)
    return real if os.path.samestat(os.stat(real), os.fstat(fd)) else "another file"


def _unreadable(name: str, error: OSError | ValueError) -> SourceUnreadable:
    if isinstance(error, OSError) and error.errno in (errno.ELOOP, errno.ENXIO):
        kind = SourceSkipped(f"{name}: is a link to itself" if error.errno == errno.ELOOP else f"{name}: is a socket")
        kind.__cause__ = error
        return kind
    return SourceUnreadable(f"{name}: {getattr(error, 'strerror', None) or error}")
