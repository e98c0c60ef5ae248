"""Ids of conversations that a person removed, in `state/forgotten.jsonl`, so that they are never stored again.

    {"conversation":"<id>","time":"<when>","pattern":"<what the person wrote>"}

The file is append-only, synced and proved (`proof.py`). If its proof or one of its lines shows that something is
missing, nothing is stored until a person has looked at it: forgotten conversations could come back.
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
from chorus.keep.vault.safe_files import make_folders, open_locked, read_file, sync_folder, write_all


class Tombstone(Struct, frozen=True, omit_defaults=True):
    """One forgotten conversation."""

    conversation: str
    """The id of the conversation in the vault."""
    time: str
    pattern: str | None = None
    """The pattern that the person wrote, if it was one."""


def tombstones_path(root: Path) -> Path:
    return root / "state" / "forgotten.jsonl"


def is_forgotten(root: Path, conversation: str) -> bool:
    """Return whether the conversation with this id (as in the vault) must not be stored again.

    Costs one `stat`; the file is read again only if it changed.
    """
    return conversation in forgotten(root)


def forgotten(root: Path) -> frozenset[str]:
    """Return the ids of all forgotten conversations.

    Raises VaultUnwritable if the list is damaged or cannot be read.
    """
    path = tombstones_path(root)
    try:
        status = path.lstat()
        found = _read(path, status.st_ino, status.st_mtime_ns, status.st_size)
        if found.objection:
            # A person may have accepted the file in the meantime: this changes its proof, but not the file.
            _read.cache_clear()
            found = _read(path, status.st_ino, status.st_mtime_ns, status.st_size)
    except FileNotFoundError:
        found = _Found(frozenset(), _objection(path))
    except OSError as error:
        # Continuing as if nothing was forgotten would bring back what a person removed.
        raise VaultUnwritable(f"{path}: {error.strerror or error}; repair it before anything is stored") from error
    if found.objection:
        raise VaultUnwritable(
            f"{path}: {found.objection}; forgotten conversations could be stored again: look at it, then "
            f"`chorus doctor --accept {path.name}`"
        )
    return found.conversations


def readable_forgotten_ids(root: Path) -> frozenset[str]:
    """Return the ids that can be read, even if the file is damaged. For callers that do not write."""
    path = tombstones_path(root)
    try:
        status = path.lstat()
        return _read(path, status.st_ino, status.st_mtime_ns, status.st_size).conversations
    except OSError:
        return frozenset()


def add_tombstones(root: Path, tombstones: Iterable[Tombstone]) -> None:
    """Add conversations to the list. They are durable on return; raises VaultUnwritable if that failed."""
    path = tombstones_path(root)
    lines = b"".join(msgspec.json.encode(stone) + b"\n" for stone in tombstones)
    try:
        folders = make_folders(root, path.parent)
        fd = open_locked(path)
        try:
            # A line that was torn by a crash must not swallow the next one; it was never acknowledged.
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
    # Bytes after the last newline are a torn line: nothing had been forgotten when they were written.
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
