"""The client's prompt history: what a person typed, stored with each conversation.

It lives longer than the sessions: if the client has deleted a session, only its prompts are left.
"""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec import Struct

from chorus.errors import SourceUnreadable
from chorus.keep.sources.conversation_of import ConversationLocator
from chorus.keep.sources.file_access import Bounds, Skip, Skips, look_at, read_file, skip_of
from chorus.keep.sources.taken_notes import Taken, TakenNotes
from chorus.keep.vault.keys import StreamKey, safe_name
from chorus.keep.vault.port import Vault

STREAM = "history"
"""The stream with the prompts of a conversation; if it is the only one, the conversation is a stub."""
MAX_BYTES = 256 << 20
"""The maximum size of a client's history; years of prompts take a few MB."""


class Entry(Struct, rename="camel"):
    session_id: str | None = None
    project: str | None = None


_entry = msgspec.json.Decoder(Entry)


def sessions_prompted(config: Path) -> set[str]:
    """Return the conversations that have prompts in a client's history."""
    data = look_at(_history(config), Bounds(config), MAX_BYTES)
    return {safe_name(session) for session in _by_session(data or b"", "")}


def prompts_in(path: Path, conversation: str, bounds: Bounds | None) -> list[bytes]:
    """Return the lines of a conversation in a client's history."""
    data = look_at(path, bounds, MAX_BYTES)
    found = _by_session(data or b"", "").items()
    return next((lines for session, (_, lines) in found if safe_name(session) == conversation), [])


class Prompts:
    """Stores prompts, and remembers how many of each session are stored."""

    def __init__(self, vault: Vault, locator: ConversationLocator, notes: TakenNotes) -> None:
        self._vault = vault
        self._locator = locator
        self._notes = notes
        self._counts: dict[str, int] = {}

    def keep(
        self,
        config: Path,
        bounds: Bounds,
        skips: Skips,
        *,
        is_wanted: Callable[[StreamKey, Path], bool],
        seen_at: str,
    ) -> int:
        """Store what is new in a client's history, and return the number of conversations known only from there."""
        path = _history(config)
        try:
            status = path.stat()
            known = self._notes.by_path.get(str(path))
            if known is not None and known.is_unchanged(status):
                return 0
            data = read_file(path, bounds, MAX_BYTES)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTDIR):
                skips(Skip(str(path), error.strerror or str(error), is_failure=error.errno != errno.ELOOP))
            return 0
        except SourceUnreadable as error:
            skips(skip_of(path, error))
            return 0
        if data is None:
            return 0
        stubs = 0
        for session, (project, lines) in _by_session(data, str(config)).items():
            is_known = self._locator.knows(session)
            key = self._locator.key_in(session, project, STREAM)
            if not is_wanted(key, path):
                continue
            if session not in self._counts:
                self._counts[session] = self._vault.tail(key).seq
            if self._counts[session] < len(lines):
                self._vault.append(key, b"".join(lines[self._counts[session] :]), seen_at=seen_at)
                self._counts[session] = len(lines)
                stubs += not is_known
        self._notes.add(_note(path, status))
        return stubs


def _history(config: Path) -> Path:
    return config / "history.jsonl"


def _by_session(data: bytes, somewhere: str) -> dict[str, tuple[str, list[bytes]]]:
    """Return session → its project and the lines of its prompts."""
    prompts: dict[str, tuple[str, list[bytes]]] = {}
    # Bytes after the last newline are not a complete line yet.
    for line in data.split(b"\n")[:-1]:
        try:
            entry = _entry.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        if entry.session_id:
            prompts.setdefault(entry.session_id, (entry.project or somewhere, []))[1].append(line + b"\n")
    return prompts


def _note(path: Path, status: os.stat_result) -> Taken:
    return Taken(str(path), status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
