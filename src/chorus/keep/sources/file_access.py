"""Opens files of other programs: anything that a client, an agent or another program may have put into its folders.

Only regular files are opened: a pipe would block forever, and a device has no end. Links are followed as long as they
stay inside the folders that a person named (`Bounds`). What is left out for such a reason is reported as a `Skip`.
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
    """Whether it should have been read and could not be; otherwise it is nothing that Chorus reads."""

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


Skips = Callable[[Skip], None]
"""Called with everything that is left out."""


def ignore(_skip: Skip) -> None:
    """Ignore what is left out. For callers that only look: the pass over the same files reports it."""


class Bounds:
    """The folders in which files may be located. Links may lead from one of them into another, and no further."""

    def __init__(self, *folders: Name) -> None:
        self.roots = tuple(dict.fromkeys(os.path.realpath(folder) for folder in folders))
        self._prefixes = tuple(os.path.join(root, "") for root in self.roots)

    @classmethod
    def exactly(cls, real: str) -> "Bounds":
        """Return bounds with one file, by the path it had when it was found: no file elsewhere, even through a link."""
        bounds = cls()
        bounds.roots = (real,)
        return bounds

    def contains(self, real: str) -> bool:
        """Return whether a path without links is inside the bounds."""
        return real.startswith(self._prefixes) or real in self.roots


def open_file(path: Name, bounds: Bounds | None, buffer_bytes: int = -1) -> BinaryIO:
    """Open a regular file inside the bounds for reading. `bounds` is None for a file that a person named.

    Raises SourceSkipped for anything else, and SourceUnreadable if it cannot be opened. Never blocks.
    """
    name = os.fspath(path)
    try:
        _refuse_special(name, os.stat(name).st_mode)
        fd = os.open(name, _READ)
    except (OSError, ValueError) as error:
        raise _unreadable(name, error) from error
    try:
        # The file at this path may have been replaced since then: only the open file counts.
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
    """Return the content of a small file, or None if there is none.

    Raises SourceSkipped also for one that is too large.
    """
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
        raise SourceSkipped(f"{os.fspath(path)}: is larger than {most_bytes:,} bytes, which is too large")
    return data


def look_at(path: Name, bounds: Bounds | None, most_bytes: int) -> bytes | None:
    """Return the first bytes of a file, or None if it cannot be read. For callers that do not report errors."""
    try:
        with open_file(path, bounds) as file:
            return file.read(most_bytes)
    except (SourceUnreadable, OSError):
        return None


def listed(folder: Name, bounds: Bounds | None) -> list[os.DirEntry[str]]:
    """Return the entries of a folder, unsorted; an empty list if it does not exist.

    Raises SourceSkipped if it is outside the bounds, and SourceUnreadable if it cannot be listed.
    """
    name = os.fspath(folder)
    try:
        if bounds is not None:
            # Most folders of side files do not exist, and resolving a path asks about each folder above it.
            os.lstat(name)
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
    """Yield every file below a folder, of any kind, sorted by name; links to folders are not followed."""
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
    """Return the report of a refused file."""
    name = os.fspath(path)
    return Skip(name, str(error).removeprefix(f"{name}: "), not isinstance(error, SourceSkipped))


def special(mode: int) -> str | None:
    """Return why a file of this mode is not opened, or None for a regular file."""
    if stat.S_ISREG(mode):
        return None
    return next((words for is_kind, words in _KINDS if is_kind(mode)), "is not a regular file")


def leads_out(real: str) -> str:
    """Return why a link is not followed."""
    return f"leads out of its folder to {real}"


def _refuse_special(name: str, mode: int) -> None:
    if reason := special(mode):
        raise SourceSkipped(f"{name}: {reason}")


def _refuse_beyond(bounds: Bounds, name: str, real: str) -> None:
    if not bounds.contains(real):
        raise SourceSkipped(f"{name}: {leads_out(real)}")


def _refuse_shared(name: str, status: os.stat_result) -> None:
    """Refuse another user's file with a second name: it may come from outside the bounds. Own files are allowed."""
    if status.st_nlink > 1 and hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        raise SourceSkipped(f"{name}: is another user's file, which has a second name elsewhere")


def real_path(fd: int, name: str) -> str:
    """Return the path of the open file according to the system, or else by its name if that still leads to it."""
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
