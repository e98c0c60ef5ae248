"""Writes a file completely or not at all: under another name first, and in its place only when it is safe on disk."""

import errno
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from chorus.base.regular_files import is_special
from chorus.errors import ChorusError


def write_file(path: Path, pieces: Iterable[bytes], *, is_forced: bool = False) -> int:
    """Writes the pieces to `path`, readable by this user only, and returns the size.

    Raises `ChorusError` if the file exists and `is_forced` is false, if it is a pipe or a device, or if it cannot be
    written. Nothing is left then.
    """
    if is_special(path):
        raise ChorusError(f"{path}: a pipe or a device is not replaced; -o names a file, `-o -` writes to a pipe")
    if not is_forced and os.path.lexists(path):
        raise ChorusError(f"{path}: it exists already; --force replaces it, -o names another file")
    half = path.with_name(f".{path.name[:80]}.{secrets.token_hex(6)}.tmp")
    try:
        fd = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
        with os.fdopen(fd, "wb") as file:
            size_bytes = sum(map(file.write, pieces))
            file.flush()
            os.fsync(fd)
        _put(half, path, is_forced=is_forced)
        _sync_folder(path.parent)
    except OSError as error:
        raise ChorusError(_in_words(path, error)) from error
    finally:
        half.unlink(missing_ok=True)
    return size_bytes


def _put(half: Path, path: Path, *, is_forced: bool) -> None:
    if is_forced:
        half.replace(path)
        return
    try:
        # A link fails if the file appeared in the meantime; a rename would replace it.
        os.link(half, path)
    except FileExistsError:
        raise ChorusError(f"{path}: it exists already; --force replaces it, -o names another file") from None
    except OSError:
        if os.path.lexists(path):
            raise ChorusError(f"{path}: it exists already; --force replaces it, -o names another file") from None
        half.rename(path)


def _sync_folder(folder: Path) -> None:
    try:
        fd = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(fd)
    except OSError:
        pass
    finally:
        os.close(fd)


def _in_words(path: Path, error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{path}: the disk is full; nothing was written. Free some space, or name another folder with -o"
    if error.errno == errno.ENOENT:
        return f"{path}: its folder does not exist; create it, or name another file with -o"
    return f"{path}: {error.strerror or error}; nothing was written"
