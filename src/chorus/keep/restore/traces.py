"""Removes what Chorus stores about a conversation outside of its streams. It can be rebuilt, and must be removed, too.

Titles in `cache/` are words of a person, and notes about sources in `state/sources.jsonl` contain names of files.
"""

from collections.abc import Set as AbstractSet
from pathlib import Path

import msgspec

from chorus.errors import VaultUnwritable
from chorus.keep.sources.taken_notes import Taken
from chorus.keep.vault import proof
from chorus.keep.vault.safe_files import make_folders, put_file, read_file, sync_folder

_note = msgspec.json.Decoder(Taken)


def remove_traces(root: Path, conversations: AbstractSet[str], blobs: AbstractSet[str]) -> None:
    """Remove the caches, and the notes about sources of these conversations. No sync may run at the same time.

    Raises VaultUnwritable if that failed; a repeated call is safe.
    """
    try:
        _empty(root / "cache")
        _drop_notes(root / "state" / "sources.jsonl", conversations, blobs)
    except OSError as error:
        raise VaultUnwritable(f"{root}: {error.strerror or error} while removing traces; try again") from error


def _empty(cache: Path) -> None:
    if cache.is_symlink() or not cache.is_dir():
        return
    for path in cache.iterdir():
        if path.is_file() or path.is_symlink():
            path.unlink()
    sync_folder(cache)


def _drop_notes(path: Path, conversations: AbstractSet[str], blobs: AbstractSet[str]) -> None:
    try:
        lines = read_file(path).splitlines(keepends=True)
    except FileNotFoundError:
        return
    left = [line for line in lines if not _is_about(line, conversations, blobs)]
    make_folders(path.parent.parent, path.parent)
    data = b"".join(left)
    with proof.replacing(path, data):
        put_file(path, data)
        sync_folder(path.parent)


def _is_about(line: bytes, conversations: AbstractSet[str], blobs: AbstractSet[str]) -> bool:
    try:
        note = _note.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        # A line that cannot be read is useless, and may be about any conversation.
        return True
    if note.key is not None:
        return note.key[2] in conversations
    return note.marks[0] in blobs or any(name in note.path for name in conversations)
