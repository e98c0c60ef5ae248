"""Takes what the vault lost again from the sources that still have it.

Files that another program changed, cut or removed after Chorus wrote them are read completely
(`vault/verification.py`). Damaged streams are repaired (`vault/repair.py`) and then taken from their sources like any
other: a missing end is appended, and a source that changed in the meantime begins a revision. What cannot be recovered
is reported, now and by every check.
"""

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Self

import msgspec
from msgspec import Struct, field, structs

from chorus.errors import SourceSkipped, SourceUnreadable
from chorus.keep.sources.conversation_of import path_digest
from chorus.keep.sources.discover import classify
from chorus.keep.sources.file_access import Bounds, look_at, open_file
from chorus.keep.sources.history import STREAM as HISTORY
from chorus.keep.sources.history import prompts_in
from chorus.keep.sources.parts import LOG_PART, PART, Parts
from chorus.keep.sources.placement import note_log
from chorus.keep.sources.side_files import MANIFEST, MAX_BYTES, place_of
from chorus.keep.sources.taken_notes import TakenNotes
from chorus.keep.sources.vault_upkeep import rebuild_inventory, repair_state
from chorus.keep.vault import verification
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.inventory import InventoryEntry
from chorus.keep.vault.keys import LOG_NOTE, MAIN_STREAM, SESSION_FILE, StreamKey
from chorus.keep.vault.layout import stream_at
from chorus.keep.vault.line import StoredLine
from chorus.keep.vault.misplaced import set_aside_misplaced
from chorus.keep.vault.port import Damaged
from chorus.keep.vault.repair import Read
from chorus.keep.vault.tombstones import readable_forgotten_ids

DECISIONS = "decisions"
"""The stream that is built from the permission ledger."""


class _SideFile(Struct):
    base: str
    path: str


_side_file = msgspec.json.Decoder(_SideFile)


class Healed(Struct):
    """What was repaired, and what could not be; a line of text for each file."""

    mended: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    conversations: set[str] = field(default_factory=set)
    has_lost_decisions: bool = False
    """Whether decisions have to be taken from the permission ledger again."""


class Healing:
    """One check of all files of a vault. No sync may run at the same time."""

    def __init__(
        self,
        vault: FileVault,
        notes: TakenNotes,
        owners: Mapping[StreamKey, str],
        parts: Parts,
        *,
        look: Callable[[str], None],
        bounds_of: Callable[[Path], Bounds | None],
        note_source: Callable[[StreamKey, str], None],
        seen_at: str,
    ) -> None:
        """`owners`: the sources of streams. `look` takes a source as if it had never been read.

        `bounds_of` returns where a file that was found earlier may be located now: a folder may have become a link
        since.
        """
        self._vault = vault
        self._notes = notes
        self._owners = owners
        self._parts = parts
        self._look = look
        self._bounds_of = bounds_of
        self._note_source = note_source
        self._seen_at = seen_at
        self._done = Healed()

    def run(self) -> Healed:
        """Repair what can be repaired."""
        listed = [entry.file for entry in self._vault.inventory.entries()]
        self._done.mended += set_aside_misplaced(self._vault.root, listed)
        self._done.mended += repair_state(self._vault)
        self._done.mended += rebuild_inventory(self._vault)
        if self._notes.objection:
            reason = self._notes.objection.reason
            self._done.mended.append(f"state/sources.jsonl: {reason}; all sources are compared again")
        forgotten = readable_forgotten_ids(self._vault.root)
        fresh: list[InventoryEntry] = []
        for entry in list(self._vault.inventory.entries()):
            key = stream_at(entry.file)
            if verification.is_untouched(self._vault.root, entry) or (key and key.conversation in forgotten):
                continue
            found = verification.examined(self._vault, entry)
            if not found:
                fresh += self._touched(entry)
            elif key is None:
                self._repair_blob(entry)
            else:
                self._repair_stream(key, entry, found[0].reason)
        self._vault.inventory.note(fresh)
        return self._done

    def _touched(self, entry: InventoryEntry) -> list[InventoryEntry]:
        """Return the new entry of an undamaged file with another time, so that it is not read again."""
        place = self._vault.root / (f"{entry.file}.zst" if entry.packed else entry.file)
        with suppress(OSError):
            return [structs.replace(entry, mtime_ns=place.lstat().st_mtime_ns, is_suspect=False)]
        return []

    def _repair_blob(self, entry: InventoryEntry) -> None:
        name = entry.file.rpartition("/")[2]
        noted = [path for path, note in self._notes.by_path.items() if note.key is None and note.marks[0] == name]
        for path in [*noted, *self._named(name)]:
            data = look_at(path, self._bounds_of(Path(path)), MAX_BYTES)
            if data is not None and hashlib.sha256(data).hexdigest() == name:
                self._vault.put_blob(data)
                self._vault.flush()
                self._done.mended.append(f"{entry.file}: damaged or gone; taken again from {path}")
                return
        self._give_up(entry, "no existing file has this content")

    def _named(self, blob: str) -> Iterator[str]:
        """Yield the paths of files that have this content according to manifests."""
        for main, path in self._owners.items():
            if main.stream not in (MAIN_STREAM, SESSION_FILE):
                continue
            manifest = structs.replace(main, stream=MANIFEST)
            for line in self._vault.lines(manifest):
                if isinstance(line, StoredLine) and blob.encode() in line.body:
                    with suppress(msgspec.DecodeError):
                        side = _side_file.decode(line.body)
                        yield str(place_of(Path(path), side.base, side.path))

    def _repair_stream(self, key: StreamKey, entry: InventoryEntry, reason: str) -> None:
        if key.stream in (MANIFEST, DECISIONS, LOG_NOTE):
            self._repair_own(key, entry, reason)
            return
        with self._source(key) as source:
            if source.read is None:
                self._give_up(entry, f"{reason}; {source.description}")
                return
            found = self._vault.repair(key, source.read, seen_at=self._seen_at)
        gone = max(0, entry.measure.lines - found.end)
        before = self._vault.tail(key)
        self._vault.flush()
        source.take()
        self._vault.flush()
        after = self._vault.tail(key)
        self._vault.flush()
        lost = found.missing
        if gone and (after.revision != before.revision or after.seq < entry.measure.lines):
            lost += max(1, gone - (after.seq - before.seq)) if after.revision == before.revision else gone
        taken = found.rebuilt + gone - max(0, lost - found.missing)
        self._done.conversations.add(key.owner)
        self._done.mended.append(f"{entry.file}: {reason}; {taken:,} lines taken again from {source.description}")
        self._settle(entry, lost, after.revision)

    def _repair_own(self, key: StreamKey, entry: InventoryEntry, reason: str) -> None:
        """Repair a stream that Chorus itself wrote: undamaged lines stay, and the rest is determined again."""
        self._vault.repair(key, None, seen_at=self._seen_at, is_own=True)
        self._done.conversations.add(key.owner)
        if key.stream == DECISIONS:
            self._done.has_lost_decisions = True
        elif key.stream == LOG_NOTE:
            # The existence of the stream is the information; its path is only for people.
            note_log(self._vault, key, Path(self._owners.get(key.sibling(MAIN_STREAM), "")), seen_at=self._seen_at)
        else:
            self._rebuild_manifest(key)
        self._vault.flush()
        now = self._vault.inventory.get(entry.file)
        lost = max(0, entry.measure.lines - (now.measure.lines if now else 0)) if key.stream == MANIFEST else 0
        self._done.mended.append(f"{entry.file}: {reason}; repaired")
        self._settle(entry, lost)

    def _rebuild_manifest(self, manifest: StreamKey) -> None:
        known = b"".join(line.bytes for line in self._vault.lines(manifest) if not isinstance(line, Damaged))
        for path, note in list(self._notes.by_path.items()):
            is_beside = manifest.conversation in path or Path(path).parent.name == "plans"
            if note.key is None and is_beside and note.marks[0].encode() not in known:
                del self._notes.by_path[path]
        mains: list[str] = []
        for key, path in self._owners.items():
            if key.owner == manifest.owner:
                self._note_source(key, path)
                mains += [path] if key.stream in (MAIN_STREAM, SESSION_FILE) else []
        for part in self._vault.streams(manifest.owner):
            for whole, path in self._wholes_of(part):
                self._parts.note_again(part, whole, classify(Path(path)), seen_at=self._seen_at)
        for path in mains:
            self._look(path)

    def _settle(self, entry: InventoryEntry, lost: int, whole_from: int | None = None) -> None:
        now = self._vault.inventory.get(entry.file) or entry
        settled = structs.replace(now, lost=lost, is_suspect=False, whole_from=whole_from if lost else None)
        if settled != now:
            self._vault.inventory.note([settled])
        if lost:
            self._done.lost.append(f"{entry.file}: {lost:,} of its lines cannot be recovered")

    def _give_up(self, entry: InventoryEntry, why: str) -> None:
        self._done.lost.append(f"{entry.file}: {why}; it cannot be recovered")
        if not entry.is_suspect:
            self._vault.inventory.note([structs.replace(entry, is_suspect=True)])

    def _append(self, key: StreamKey, data: bytes) -> None:
        self._vault.append(key, data[self._vault.tail(key).offset :], seen_at=self._seen_at)

    def _wholes_of(self, part: StreamKey) -> Iterator[tuple[StreamKey, str]]:
        """Yield the stream from which a part was made, with its source; nothing for other streams."""
        if part.stream.startswith((LOG_PART, PART)):
            for whole, path in self._owners.items():
                if path_digest(path) == part.stream.rpartition("-")[2] and whole.conversation != part.conversation:
                    yield whole, path

    def _source(self, key: StreamKey) -> "_Source":
        """Return the source that a stream was stored from."""
        data, description = b"", "it"
        if key.stream == HISTORY:
            description = "the client's prompt history"
            for path in [each for each in self._notes.by_path if each.endswith("/history.jsonl")]:
                data = data or b"".join(prompts_in(Path(path), key.conversation, self._bounds_of(Path(path))))
        elif key.stream.startswith((LOG_PART, PART)):
            description = "the stored part of its source"
            for whole, path in self._wholes_of(key):
                data = b"".join(self._parts.lines_of(whole, classify(Path(path)), key.conversation))
        if description != "it":
            return (
                _Source(description, data=data, take=lambda: self._append(key, data))
                if data
                else _Source(f"{description} is gone")
            )
        path = self._owners.get(key)
        if path is None:
            return _Source("it has no source")
        try:
            file = open_file(path, self._bounds_of(Path(path)))
        except SourceSkipped as error:
            return _Source(f"its source {error}")
        except SourceUnreadable:
            return _Source(f"its source {path} is gone")
        return _Source(path, file=file, take=lambda: self._look(path))


class _Source:
    """A source while it is read."""

    def __init__(
        self,
        description: str,
        *,
        data: bytes | None = None,
        file: BinaryIO | None = None,
        take: Callable[[], None] = lambda: None,
    ) -> None:
        self.description = description
        self.take = take
        self._file = file
        self.read: Read | None = None
        if data is not None:
            self.read = lambda start, end: data[start:end]
        elif file is not None:
            self.read = lambda start, end: os.pread(file.fileno(), max(0, end - start), start)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()
