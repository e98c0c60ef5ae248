"""Conversations that a person had removed: their ids stay in `state/forgotten.jsonl`, so that none is kept again.

    {"conversation":"<id>","time":"<when>","pattern":"<what the person wrote>"}

Append-only, fsynced and proved (`proof.py`). Where its proof or a line says that something is missing, nothing is
kept until a person has looked: what was forgotten could come back.
"""

import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec import Struct

from chorus.errors import VaultUnwritable
from chorus.keep.vault import proof
from chorus.keep.vault.appender import end_of_lines
from chorus.keep.vault.safe_files import hold, make_folders, read_file, sync_folder, write_all


class Tombstone(Struct, frozen=True, omit_defaults=True):
    """One conversation that was forgotten."""

    conversation: str
    """As the vault named it."""
    time: str
    pattern: str | None = None
    """What the person wrote, when that was a pattern."""


def tombstones_path(root: Path) -> Path:
    return root / "state" / "forgotten.jsonl"


def is_forgotten(root: Path, conversation: str) -> bool:
    """Whether the conversation of this id (as the vault names it) must not be kept again.

    Costs one `stat`; the file is read again only when it changed.
    """
    return conversation in forgotten(root)


def forgotten(root: Path) -> frozenset[str]:
    """The ids of all conversations that were forgotten."""
    path = tombstones_path(root)
    try:
        status = path.lstat()
        found = _read(path, status.st_ino, status.st_mtime_ns, status.st_size)
        if found.objection:
            # A person may have accepted it as it is meanwhile: that changes its proof, not the file.
            _read.cache_clear()
            found = _read(path, status.st_ino, status.st_mtime_ns, status.st_size)
    except FileNotFoundError:
        found = _Found(frozenset(), _objection(path))
    except OSError as error:
        # To go on as if nothing was forgotten would bring back what a person had removed.
        raise VaultUnwritable(f"{path}: {error.strerror or error}; mend it before anything is kept") from error
    if found.objection:
        raise VaultUnwritable(
            f"{path}: {found.objection}; conversations that were forgotten could be kept again: look at it, then "
            f"`chorus doctor --accept {path.name}`"
        )
    return found.conversations


def forgotten_as_told(root: Path) -> frozenset[str]:
    """The ids that can be read, be the file damaged or not: for who only looks."""
    path = tombstones_path(root)
    try:
        status = path.lstat()
        return _read(path, status.st_ino, status.st_mtime_ns, status.st_size).conversations
    except OSError:
        return frozenset()


def bury(root: Path, tombstones: Iterable[Tombstone]) -> None:
    """Note that conversations are forgotten; durable on return, `VaultUnwritable` when that failed."""
    path = tombstones_path(root)
    lines = b"".join(msgspec.json.encode(stone) + b"\n" for stone in tombstones)
    try:
        folders = make_folders(root, path.parent)
        fd = hold(path)
        try:
            # A line that a crash tore must not swallow the next one; nobody was told of it.
            os.ftruncate(fd, end_of_lines(fd))
            os.lseek(fd, 0, os.SEEK_END)
            with proof.growing(path, fd, lines):
                write_all(fd, lines)
                os.fsync(fd)
        finally:
            os.close(fd)
        for folder in [path.parent, *folders]:
            sync_folder(folder)
    except OSError as error:
        raise VaultUnwritable(f"{path}: {error.strerror or error}; nothing was forgotten") from error


class _Found(Struct, frozen=True):
    conversations: frozenset[str]
    objection: str | None


@lru_cache(maxsize=4)
def _read(path: Path, _inode: int, _mtime_ns: int, _size: int) -> _Found:
    found: set[str] = set()
    objection = _objection(path)
    # What follows the last newline is torn: nothing was forgotten yet when that was written.
    for number, line in enumerate(read_file(path).split(b"\n")[:-1], 1):
        try:
            found.add(_decoder.decode(line).conversation)
        except (msgspec.DecodeError, UnicodeDecodeError):
            objection = objection or f"line {number} cannot be read"
    return _Found(frozenset(found), objection)


def _objection(path: Path) -> str | None:
    found = proof.objection(path)
    return found.reason if found and found.kind != "torn" else None


_decoder = msgspec.json.Decoder(Tombstone)
