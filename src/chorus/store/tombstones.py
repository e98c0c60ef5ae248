"""Conversations that a person had removed: their ids stay in `state/forgotten.jsonl`, so that none is kept again.

    {"conversation":"<id>","time":"<when>","pattern":"<what the person wrote>"}

Append-only and fsynced. A line that cannot be read is passed over.
"""

import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec import Struct

from chorus.errors import VaultUnwritable
from chorus.store.places import hold, make_folders, read_file, sync_folder, write_all


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
        return _read(path, status.st_ino, status.st_mtime_ns, status.st_size)
    except FileNotFoundError:
        return frozenset()
    except OSError as error:
        # To go on as if nothing was forgotten would bring back what a person had removed.
        raise VaultUnwritable(f"{path}: {error.strerror or error}; mend it before anything is kept") from error


def bury(root: Path, tombstones: Iterable[Tombstone]) -> None:
    """Note that conversations are forgotten; durable on return, `VaultUnwritable` when that failed."""
    path = tombstones_path(root)
    lines = b"".join(msgspec.json.encode(stone) + b"\n" for stone in tombstones)
    try:
        folders = make_folders(root, path.parent)
        fd = hold(path)
        try:
            size = os.lseek(fd, 0, os.SEEK_END)
            # A line that a crash tore must not swallow the next one.
            is_torn = size > 0 and os.pread(fd, 1, size - 1) != b"\n"
            write_all(fd, b"\n" + lines if is_torn else lines)
            os.fsync(fd)
        finally:
            os.close(fd)
        for folder in [path.parent, *folders]:
            sync_folder(folder)
    except OSError as error:
        raise VaultUnwritable(f"{path}: {error.strerror or error}; nothing was forgotten") from error


@lru_cache(maxsize=4)
def _read(path: Path, _inode: int, _mtime_ns: int, _size: int) -> frozenset[str]:
    found: set[str] = set()
    for line in read_file(path).splitlines():
        try:
            found.add(_decoder.decode(line).conversation)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
    return frozenset(found)


_decoder = msgspec.json.Decoder(Tombstone)
