"""Writes files below a folder, completely or not at all; no link below that folder is followed."""

import errno
import os
import secrets
import stat
from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import BinaryIO

from chorus.errors import ChorusError
from chorus.keep.restore.originals import Original

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


class ExistingFile(Enum):
    """What exists at the path of a file that is restored."""

    NOTHING = "nothing"
    IDENTICAL = "identical"
    LONGER = "continues after what was stored"
    DIFFERENT = "differs from what was stored"
    NO_FILE = "is not a regular file"


def compare_existing(original: Original, pieces: Iterable[bytes]) -> ExistingFile:
    """Compare the existing file with the bytes of `pieces`; they are read as far as both are equal."""
    folder = open_folder(original, make=False)
    if folder is None:
        return ExistingFile.NOTHING
    try:
        fd = os.open(original.parts[-1], os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | _NO_LINK, dir_fd=folder)
    except FileNotFoundError:
        return ExistingFile.NOTHING
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            return ExistingFile.NO_FILE
        raise _unwritable(original, error) from error
    finally:
        os.close(folder)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        return ExistingFile.NO_FILE
    with os.fdopen(fd, "rb") as file:
        return _compare(file, pieces)


def touch(original: Original) -> None:
    """Set the time of an existing file to now, so that the client's cleanup does not delete it."""
    folder = open_folder(original, make=False)
    if folder is None:
        return
    try:
        os.utime(original.parts[-1], dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        raise _unwritable(original, error) from error
    finally:
        os.close(folder)


def write(original: Original, pieces: Iterable[bytes], *, replace: bool) -> int:
    """Write the file, for this user only and with the current time; durable on return. Returns its size.

    If `pieces` raise, nothing of it is left. Without `replace`, a file that appeared in the meantime is not touched,
    and ChorusError is raised.
    """
    folder = open_folder(original, make=True)
    assert folder is not None
    half = f".chorus-{secrets.token_hex(8)}.tmp"
    try:
        fd = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | _NO_LINK, 0o600, dir_fd=folder)
        try:
            with os.fdopen(fd, "wb") as file:
                os.fchmod(fd, 0o600)
                size_bytes = sum(map(file.write, pieces))
                file.flush()
                os.fsync(fd)
            _put_in_place(folder, half, original.parts[-1], replace=replace)
        finally:
            _remove(half, folder)
        os.fsync(folder)
    except OSError as error:
        raise _unwritable(original, error) from error
    finally:
        os.close(folder)
    return size_bytes


def _put_in_place(folder: int, half: str, name: str, *, replace: bool) -> None:
    if not replace:
        try:
            # Unlike a rename, a link never takes the place of a file that is there.
            os.link(half, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS):
                raise
        else:
            return
    os.rename(half, name, src_dir_fd=folder, dst_dir_fd=folder)


def _remove(name: str, folder: int) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return


def _compare(file: BinaryIO, pieces: Iterable[bytes]) -> ExistingFile:
    for piece in pieces:
        if file.read(len(piece)) != piece:
            return ExistingFile.DIFFERENT
    return ExistingFile.LONGER if file.read(1) else ExistingFile.IDENTICAL


def open_folder(original: Original, *, make: bool) -> int | None:
    """Open the folder of a file, one name at a time from its base; None if it does not exist and `make` is not set."""
    here = original.base
    try:
        if make:
            here.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(here, _FOLDER)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unwritable_path(here, error) from error
    for name in original.parts[:-1]:
        here /= name
        try:
            below = _enter(fd, name, make=make)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unwritable_path(here, error) from error
        finally:
            os.close(fd)
        fd = below
    return fd


def _enter(fd: int, name: str, *, make: bool) -> int:
    try:
        return os.open(name, _FOLDER | _NO_LINK, dir_fd=fd)
    except FileNotFoundError:
        if not make:
            raise
    try:
        os.mkdir(name, 0o700, dir_fd=fd)
        os.fsync(fd)
    except FileExistsError:
        # Another process has just created it; if it is a link, opening it fails.
        pass
    return os.open(name, _FOLDER | _NO_LINK, dir_fd=fd)


def _unwritable(original: Original, error: OSError) -> ChorusError:
    return _unwritable_path(original.path, error)


def _unwritable_path(path: Path, error: OSError) -> ChorusError:
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return ChorusError(f"{path}: is a link or no folder, and links are not followed; name another folder")
    if error.errno == errno.EEXIST:
        return ChorusError(f"{path}: appeared while it was being restored; look at it and try again")
    return ChorusError(f"{path}: {error.strerror or error}; fix that, or name another folder")
