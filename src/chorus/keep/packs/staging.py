"""Puts many files below a client's folder, all or none: they are complete beside their places before the first moves.

The files are written into a hidden folder of the client's folder, and then renamed to their places; the session file
comes last, because with it the client finds the session. If the process is killed before that, the next call undoes
what was moved; if it is killed after that, the next call only removes the hidden folder.
"""

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec
from msgspec import Struct

from chorus.errors import ChorusError
from chorus.keep.restore.originals import Original, is_name
from chorus.keep.restore.writing import open_folder
from chorus.keep.vault import safe_files

PREFIX = ".chorus-unpack-"
_LOCK, _MOVES = "lock", "moves.json"
_TOP = frozenset({"projects", "plans", "todos", "tasks", "file-history"})
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS)


class _Moved(Struct, frozen=True):
    parts: tuple[str, ...]
    """The place below the client's folder."""
    device: int
    inode: int
    """Of the staged file, which keeps them when it is renamed."""


class _Moves(Struct, frozen=True):
    files: list[_Moved]
    """The session file comes last."""
    folders: list[tuple[str, ...]]
    """Folders that did not exist before, outermost first."""


class Staging:
    """A hidden folder for the files of one pack. Used as a context manager, which removes what was not committed."""

    def __init__(self, client: Path) -> None:
        self._client = client
        self._targets: list[Original] = []
        self._folder: Path | None = None
        self._lock = -1

    def __enter__(self) -> Self:
        """Create the folder. Raises ChorusError if that is not possible."""
        folder = self._client / f"{PREFIX}{secrets.token_hex(8)}"
        try:
            self._client.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.mkdir(mode=0o700)
            self._folder = folder
            self._lock = safe_files.open_locked(folder / _LOCK)
        except OSError as error:
            raise _unwritable(folder, error) from error
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if self._folder is not None:
            with suppress(OSError):
                _undo(self._client, self._folder)
        if self._lock >= 0:
            os.close(self._lock)

    def add(self, target: Original, pieces: Iterable[bytes]) -> int:
        """Write a file that `commit` will move to its place. Returns its size."""
        assert self._folder is not None
        path = self._folder / f"new-{len(self._targets)}"
        try:
            with os.fdopen(safe_files.open_file(path, safe_files.NEW), "wb") as file:
                size_bytes = sum(map(file.write, pieces))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise _unwritable(target.path, error) from error
        self._targets.append(target)
        return size_bytes

    def drop_last(self) -> None:
        """Forget the file that was added last: the same one exists already."""
        assert self._folder is not None
        self._targets.pop()
        (self._folder / f"new-{len(self._targets)}").unlink()

    def commit(self, *, replace: bool) -> None:
        """Move all files to their places, the first one last; durable on return.

        Raises ChorusError, and undoes everything, if that fails, or if a file appeared there and `replace` is not set.
        """
        assert self._folder is not None
        if not self._targets:
            return
        order = [*range(1, len(self._targets)), 0]
        target = self._targets[0]
        try:
            self._note([(number, self._targets[number]) for number in order])
            for number in order:
                target = self._targets[number]
                self._move(number, target, replace=replace)
        except OSError as error:
            raise _unwritable(target.path, error) from error

    def _note(self, targets: list[tuple[int, Original]]) -> None:
        """Write down what will be moved, before the first file is."""
        assert self._folder is not None
        files: list[_Moved] = []
        folders: dict[tuple[str, ...], None] = {}
        for number, target in targets:
            status = (self._folder / f"new-{number}").lstat()
            files.append(_Moved(target.parts, status.st_dev, status.st_ino))
            for count in range(1, len(target.parts)):
                if not os.path.lexists(self._client.joinpath(*target.parts[:count])):
                    folders[target.parts[:count]] = None
        safe_files.put_file(self._folder / _MOVES, msgspec.json.encode(_Moves(files, list(folders))))
        safe_files.sync_folder(self._folder)

    def _move(self, number: int, target: Original, *, replace: bool) -> None:
        assert self._folder is not None
        new, name = self._folder / f"new-{number}", target.parts[-1]
        folder = open_folder(target, make=True)
        assert folder is not None
        try:
            if replace:
                with suppress(FileNotFoundError):
                    os.rename(name, self._folder / f"old-{number}", src_dir_fd=folder)
            try:
                # Unlike a rename, a link never takes the place of a file that is there.
                os.link(new, name, dst_dir_fd=folder, follow_symlinks=False)
            except OSError as error:
                if error.errno not in _NO_LINKS:
                    raise
                os.rename(new, name, dst_dir_fd=folder)
            os.fsync(folder)
        finally:
            os.close(folder)


def clean_up(client: Path) -> None:
    """Undo what killed processes left half done below a client's folder; what live ones do is left alone."""
    for folder in sorted(client.glob(f"{PREFIX}*")):
        with suppress(OSError):
            if not stat.S_ISDIR(folder.lstat().st_mode):
                continue
            fd = safe_files.open_file(folder / _LOCK, os.O_RDWR | os.O_CREAT)
            try:
                if safe_files.try_lock(fd):
                    _undo(client, folder)
            finally:
                os.close(fd)


def _undo(client: Path, folder: Path) -> None:
    """Undo the moves of a folder, unless the session file is in its place already; then remove the folder."""
    moves = _moves_of(folder)
    if moves is not None and moves.files and not _is_there(client, moves.files[-1]):
        for number, moved in reversed(list(enumerate(moves.files))):
            # The session file is moved last, and was added first.
            _undo_one(client, folder, (number + 1) % len(moves.files), moved)
        for parts in reversed(moves.folders):
            if _is_own(parts):
                with suppress(OSError):
                    client.joinpath(*parts).rmdir()
    shutil.rmtree(folder)


def _undo_one(client: Path, folder: Path, number: int, moved: _Moved) -> None:
    target = Original(client, moved.parts, "")
    if not _is_own(moved.parts):
        return
    if _is_there(client, moved):
        with suppress(ChorusError):
            place = open_folder(target, make=False)
            if place is not None:
                os.unlink(moved.parts[-1], dir_fd=place)
                os.close(place)
    old = folder / f"old-{number}"
    if old.exists() and not os.path.lexists(target.path):
        with suppress(ChorusError):
            place = open_folder(target, make=True)
            if place is not None:
                os.rename(old, moved.parts[-1], dst_dir_fd=place)
                os.close(place)


def _is_there(client: Path, moved: _Moved) -> bool:
    """Return whether the staged file is in its place."""
    try:
        status = client.joinpath(*moved.parts).lstat()
    except OSError:
        return False
    return (status.st_dev, status.st_ino) == (moved.device, moved.inode)


def _is_own(parts: tuple[str, ...]) -> bool:
    """Return whether a noted place is one that a pack may have: anybody can write such a note."""
    return bool(parts) and parts[0] in _TOP and all(map(is_name, parts))


def _moves_of(folder: Path) -> _Moves | None:
    try:
        return msgspec.json.decode(safe_files.read_file(folder / _MOVES), type=_Moves)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _unwritable(path: Path, error: OSError) -> ChorusError:
    if error.errno == errno.EEXIST:
        return ChorusError(f"{path}: appeared while the pack was being unpacked; nothing was written, try again")
    return ChorusError(f"{path}: {error.strerror or error}; nothing was written: fix that, or name another folder")
