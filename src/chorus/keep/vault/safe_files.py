"""Files and folders of the vault: accessible to this user only, no link followed, names that survive a crash."""

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

READ = os.O_RDONLY
CHANGE = os.O_RDWR
NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL
_COPY_BYTES = 1 << 20
# Not every system has these flags: without them the vault works with fewer safeguards.
_ALWAYS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_LINK = "is a link, and links are not followed"
_SPECIAL = "is not a regular file"


def open_file(path: Path | str, flags: int) -> int:
    """Return a descriptor of a regular file. Raises OSError if it is a link, a pipe or anything else."""
    try:
        fd = os.open(path, flags | _ALWAYS, 0o600)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(errno.ELOOP, _LINK) from error
        raise
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, _SPECIAL)
    return fd


def special(path: Path | str) -> str | None:
    """Return what is wrong with something that is no regular file; None for one, and if there is nothing."""
    try:
        mode = os.lstat(path).st_mode
    except NotADirectoryError:
        return "is below something that is not a folder"
    except OSError:
        return None
    if stat.S_ISLNK(mode):
        return _LINK
    return None if stat.S_ISREG(mode) else _SPECIAL


def read_file(path: Path) -> bytes:
    """Return the content of a regular file. Raises OSError like `open_file`."""
    with os.fdopen(open_file(path, READ), "rb") as file:
        return file.read()


def make_folders(root: Path, folder: Path) -> list[str]:
    """Create `folder`, which is inside `root`, and its parents.

    Returns the folders that must be synced to make their names durable. A link below the root is refused; the root
    itself may be a link that this user created.
    """
    # Called for every stream of a first pass. Strings take a third of the time that `Path` takes.
    top = "" if root == Path() else os.fspath(root)
    if os.path.islink(top) and os.lstat(top).st_uid != os.geteuid():
        raise OSError(errno.ELOOP, f"{root} is a link of another user")
    below = list(_up(os.fspath(folder), top))
    if below and os.path.dirname(below[-1]) != top:
        raise ValueError(f"{folder} is not inside {root}")
    missing: list[str] = []
    for place in (top, *_up(os.path.dirname(top), "")):
        if os.path.isdir(place or "."):
            break
        missing.append(place)
    for place in reversed(missing):
        _make_folder(place)
    for place in reversed(below):
        if not _is_folder(place):
            _make_folder(place)
    return [os.path.dirname(place) or "." for place in (*below, top, *missing)]


def _up(place: str, end: str) -> Iterator[str]:
    """Yield a folder and its parents, up to but without `end`, or up to the top."""
    while place != end:
        yield place
        above = os.path.dirname(place)
        if above == place:
            return
        place = above


def has_link(root: Path, path: Path) -> bool:
    """Return whether any part of `path` below the root is a link."""
    below = os.path.join(root, "")
    place = os.fspath(path)
    while place.startswith(below) and place != below:
        if os.path.islink(place):
            return True
        place = os.path.dirname(place)
    return False


def sync_folder(folder: Path | str) -> None:
    """Make the names in a folder durable."""
    fd = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0))
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write_all(fd: int, data: bytes | memoryview) -> None:
    """Write all of the data, in as many writes as necessary."""
    view = memoryview(data)
    while view:
        written = os.write(fd, view[:_COPY_BYTES])
        if not written:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        view = view[written:]


def pieces(fd: int, start: int, end: int) -> Iterator[bytes]:
    """Yield the bytes of a file from `start` to `end`, as far as it goes, in pieces."""
    while start < end:
        piece = os.pread(fd, min(_COPY_BYTES, end - start), start)
        if not piece:
            return
        yield piece
        start += len(piece)


def put_file(path: Path, data: bytes) -> None:
    """Write a whole file: its name always refers to the complete new or the old content. The folder is not synced."""
    half = path.with_name(f"{path.name}.tmp")
    fd = open_locked(half)
    try:
        os.ftruncate(fd, 0)
        write_all(fd, data)
        os.fsync(fd)
        os.replace(half, path)
    except OSError:
        half.unlink(missing_ok=True)
        raise
    finally:
        os.close(fd)


def open_locked(path: Path) -> int:
    """Return a locked descriptor of a file, which is created if necessary.

    Waits until no other process holds the lock.
    """
    while True:
        fd = open_file(path, os.O_RDWR | os.O_CREAT)
        try:
            lock(fd)
            if is_current(fd, path):
                return fd
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)


def lock(fd: int) -> None:
    import fcntl

    fcntl.flock(fd, fcntl.LOCK_EX)


def try_lock(fd: int) -> bool:
    """Lock the file if no other process holds it. Returns whether it is locked now."""
    import fcntl

    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_free(fd: int) -> bool:
    """Return whether no process holds the lock of the file now."""
    import fcntl

    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    fcntl.flock(fd, fcntl.LOCK_UN)
    return True


def is_current(fd: int, path: Path) -> bool:
    """Return whether the open file still has this name: after waiting for a lock it may have been removed."""
    try:
        named = path.lstat()
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(fd), named)


def _is_folder(place: str) -> bool:
    try:
        mode = os.lstat(place).st_mode
    except FileNotFoundError:
        return False
    if stat.S_ISLNK(mode):
        raise OSError(errno.ELOOP, f"{place} {_LINK}")
    if not stat.S_ISDIR(mode):
        raise OSError(errno.ENOTDIR, f"{place} is not a folder")
    return True


def _make_folder(place: str) -> None:
    try:
        os.mkdir(place, mode=0o700)
    except FileExistsError:
        # Another process created it first; it is checked like any other folder.
        _is_folder(place)
