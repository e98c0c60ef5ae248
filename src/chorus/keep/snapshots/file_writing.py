"""Writes files of a workspace when a person undoes something: never through a link, never half."""

import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path

from chorus.errors import ChorusError
from chorus.keep.snapshots.file_reading import HALF_WRITTEN, FileContent, open_folder, reason_to_skip
from chorus.keep.vault.safe_files import write_all

_LINK = "120000"
_MAX_FOLDERS = 100


def write_file(folder: Path, path: bytes, content: FileContent) -> None:
    """Replaces a file or a link: its name always refers to the complete old or the complete new content.

    A file that takes the place of another one is open to the same users; only who may run it follows `content`.
    """
    at, name = _place(folder, path, make=True)
    half = b".chorus-" + secrets.token_hex(8).encode()
    try:
        if content.mode == _LINK:
            os.symlink(content.data, half, dir_fd=at)
        else:
            is_program = content.mode == "100755"
            known = _permissions(at, name, is_program=is_program)
            mode = 0o600 if known is not None else 0o755 if is_program else 0o644
            fd = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), mode, dir_fd=at)
            try:
                write_all(fd, content.data)
                if known is not None:
                    os.fchmod(fd, known)
                os.fsync(fd)
            finally:
                os.close(fd)
        _remove_empty_folders(at, name)
        os.replace(half, name, src_dir_fd=at, dst_dir_fd=at)
    except OSError as error:
        _discard(at, half)
        raise ChorusError(f"{os.fsdecode(path)}: cannot be written ({error.strerror}); nothing was changed") from error
    finally:
        os.close(at)


def remove_file(folder: Path, path: bytes) -> None:
    """Deletes a file or a link; folders stay."""
    at, name = _place(folder, path, make=False)
    try:
        os.unlink(name, dir_fd=at)
    except FileNotFoundError:
        return
    except OSError as error:
        raise ChorusError(f"{os.fsdecode(path)}: cannot be deleted ({error.strerror})") from error
    finally:
        os.close(at)


def remove_halves(folder: Path, paths: Iterable[bytes]) -> None:
    """Removes what a killed process left beside these files. The caller knows that no other one writes them."""
    for above in {path.rpartition(b"/")[0] for path in paths}:
        try:
            at = open_folder(folder, above.split(b"/") if above else [])
        except OSError:
            continue
        try:
            for name in map(os.fsencode, os.listdir(at)):  # noqa: PTH208 - of a descriptor
                if HALF_WRITTEN.fullmatch(name):
                    _discard(at, name)
        finally:
            os.close(at)


def _place(folder: Path, path: bytes, *, make: bool) -> tuple[int, bytes]:
    reason = reason_to_skip(path)
    if reason is not None:
        raise ChorusError(f"{os.fsdecode(path)}: is not written, because {reason}")
    *above, name = path.split(b"/")
    if name in (b"", b".", b"..") or b".." in above:
        raise ChorusError(f"{os.fsdecode(path)}: is no path in the workspace")
    try:
        return open_folder(folder, above, make=make), name
    except OSError as error:
        raise ChorusError(f"{os.fsdecode(path)}: its folder cannot be opened ({error.strerror})") from error


def _permissions(at: int, name: bytes, *, is_program: bool) -> int | None:
    """Returns the permissions of a file for its new content; None if there is no file of this name."""
    try:
        known = os.stat(name, dir_fd=at, follow_symlinks=False).st_mode
    except OSError:
        return None
    if not stat.S_ISREG(known):
        return None
    if is_program == bool(known & 0o100):
        return known & 0o777
    # Who may read a program may run it.
    return (known | (known & 0o444) >> 2) & 0o777 if is_program else known & 0o666


def _remove_empty_folders(at: int, name: bytes, depth: int = 0) -> None:
    """Removes a folder that contains nothing but such folders. Raises OSError if it contains a file, or very many."""
    if depth > _MAX_FOLDERS or not _is_folder(at, name):
        return
    inside = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
    try:
        for each in map(os.fsencode, os.listdir(inside)):  # noqa: PTH208 - of a descriptor
            _remove_empty_folders(inside, each, depth + 1)
    finally:
        os.close(inside)
    os.rmdir(name, dir_fd=at)


def _is_folder(at: int, name: bytes) -> bool:
    try:
        return stat.S_ISDIR(os.stat(name, dir_fd=at, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _discard(at: int, name: bytes) -> None:
    try:
        os.unlink(name, dir_fd=at)
    except OSError:
        return
