"""Decides in which stream of its conversation a source is stored: the first one is the main stream, and none is moved.

Being the main stream does not mean that a source has more authority. That a log is the main stream is noted in another
stream (`LOG_NOTE`) before its first line is stored. A session file or a log that comes later gets another stream.
"""

from collections.abc import Iterable, MutableMapping
from pathlib import Path

import msgspec
from msgspec import Struct

from chorus.keep.sources.conversation_of import path_digest
from chorus.keep.sources.discover import Found, classify
from chorus.keep.sources.origin import origin_of
from chorus.keep.vault.keys import LOG_NOTE, MAIN_STREAM, SESSION_FILE, StreamKey
from chorus.keep.vault.line import StoredLine
from chorus.keep.vault.port import Vault


class _LogNote(Struct):
    path: str


_log_note = msgspec.json.Decoder(_LogNote)


class StreamPlacement:
    """Remembers the main streams of a vault, and the sources from which streams are stored."""

    def __init__(self, vault: Vault, keys: Iterable[StreamKey], owners: MutableMapping[StreamKey, str]) -> None:
        """`owners`: stream → the source it is stored from; sources that get a stream are added."""
        self._vault = vault
        self._owners = owners
        self._has_log: dict[str, bool] = {}
        """Conversation → whether its main stream is a log; a conversation that is not in it has no main stream."""
        self._logs: set[StreamKey] = set()
        """Logs that are stored in addition to the main stream."""
        for key in keys:
            if key.stream == LOG_NOTE:
                self._has_log[key.owner] = True
            elif key.stream == MAIN_STREAM:
                self._has_log.setdefault(key.owner, False)
            elif key.stream.startswith("log-"):
                self._logs.add(key)
        for key, path in owners.items():
            self.learn(key, path)

    def learn(self, key: StreamKey, path: str) -> None:
        """Record that a stream is stored from this source."""
        self._owners[key] = path
        if key.stream == MAIN_STREAM:
            is_log = classify(Path(path)).kind == "log"
            self._has_log[key.owner] = self._has_log.get(key.owner, False) or is_log

    def stream_of(self, key: StreamKey, found: Found) -> StreamKey:
        """Return the stream of a source that is seen for the first time; `key` is the usual one for its kind.

        A second copy of a session file gets another stream. If the first file no longer exists, another one continues
        its stream only if its location is as trustworthy.
        """
        path = str(found.path)
        if found.kind == "log":
            key = self._log(key, path)
        else:
            if key.stream == MAIN_STREAM and self._has_log.get(key.owner):
                key = key.sibling(SESSION_FILE)
            owner = self._owners.get(key)
            is_other = owner is not None and owner != path
            if is_other and (Path(owner).exists() or origin_of(found) > origin_of(classify(Path(owner)))):
                key = key.sibling(f"copy-{path_digest(path)}")
        self.learn(key, path)
        return key

    def _log(self, key: StreamKey, path: str) -> StreamKey:
        if key in self._logs:
            return key
        main = key.sibling(MAIN_STREAM)
        has_log = self._has_log.get(key.owner)
        if has_log is None or (has_log and path == (self._owners.get(main) or self._noted(main))):
            return main
        return key

    def _noted(self, main: StreamKey) -> str | None:
        """Return the source of the log in a main stream according to its note."""
        for line in self._vault.lines(main.sibling(LOG_NOTE)):
            if isinstance(line, StoredLine):
                try:
                    return _log_note.decode(line.body).path
                except msgspec.DecodeError:
                    continue
        return None


def note_log(vault: Vault, key: StreamKey, path: Path, *, seen_at: str) -> None:
    """Note once that a log is the main stream."""
    note = key.sibling(LOG_NOTE)
    if vault.tail(note).seq == 0:
        vault.append(note, msgspec.json.encode({"type": "main-log", "path": str(path)}) + b"\n", seen_at=seen_at)
