"""Checks that the vault has what was stored in it: lines, their order, blobs, and the sources that still exist."""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct, field, structs

from chorus.errors import SourceUnreadable
from chorus.keep.archive.manifest import SideFile, Source
from chorus.keep.restore.blobs import blob_place
from chorus.keep.restore.manifest_history import facts_of, manifest_key
from chorus.keep.sources.comparison import StreamComparison
from chorus.keep.sources.file_access import open_file
from chorus.keep.vault import verification
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.layout import stream_at
from chorus.keep.vault.line import StoredLine
from chorus.keep.vault.port import Damaged, Vault

SOURCE_STATES = ("equal", "ahead", "differs", "gone")


class Damage(Struct, frozen=True):
    """One damaged place."""

    stream: str
    """The stream as `workspace/agent/conversation/stream`, or the path of a blob below the vault."""
    line: int | None
    """The number of the line in the stream's file, from 1; None if it does not concern a line."""
    reason: str


class VaultCheck(Struct):
    """The result of a check."""

    streams: int = 0
    lines: int = 0
    size_bytes: int = 0
    """The size of the sources, as they were stored."""
    blobs: int = 0
    damaged: list[Damage] = field(default_factory=list)
    sources: dict[str, list[str]] = field(default_factory=lambda: {state: [] for state in SOURCE_STATES})
    """Paths of the sources by their state."""

    @property
    def is_identical(self) -> bool:
        return not self.damaged and not self.sources["differs"]

    def as_json(self) -> dict[str, object]:
        return {
            "streams": self.streams,
            "lines": self.lines,
            "bytes": self.size_bytes,
            "damaged": [{"stream": each.stream, "line": each.line, "reason": each.reason} for each in self.damaged],
            "sources": {state: len(paths) for state, paths in self.sources.items()},
            "identical": self.is_identical,
        }


def check(
    vault: Vault, blob_names: Iterable[str], *, advance: Callable[[int], None] = lambda _bytes: None
) -> VaultCheck:
    """Read all of the vault; `advance` is called with the number of bytes of each line that was checked.

    `blob_names` are the blobs in it. Damage is collected, never raised, and the rest is still checked.
    """
    found = VaultCheck()
    if isinstance(vault, FileVault):
        found.damaged += [Damage(each.file, each.line, each.reason) for each in verification.state_findings(vault)]
    named: dict[str, str] = {}
    for _, group in groupby(sorted(vault.keys()), key=_owner):
        keys = list(group)
        sources: dict[str, Source] = {}
        for fact in facts_of(vault, manifest_key(keys[0])):
            match fact:
                case Source():
                    sources[fact.stream] = fact
                case SideFile():
                    named[fact.blob] = f"{_name(keys[0])}: {fact.path}"
        for key in keys:
            _check_stream(vault, key, sources.get(key.stream), found, advance)
    _check_blobs(vault, set(blob_names), named, found)
    if isinstance(vault, FileVault):
        _check_listed(vault, found)
    return found


def mark_suspects(vault: FileVault) -> None:
    """Mark the damaged files, so that the next sync repairs them although their size and time are unchanged."""
    suspects = [
        structs.replace(entry, is_suspect=True)
        for entry in {entry.file: entry for entry, _ in verification.findings(vault, is_full=True)}.values()
        if not entry.is_suspect
    ]
    with suppress(OSError):
        vault.inventory.note(suspects)


def _check_listed(vault: FileVault, found: VaultCheck) -> None:
    """Add what only the inventory shows: ends that were cut off, files that are gone, bytes that changed."""
    known = {(each.stream, each.line) for each in found.damaged}
    missing = {name for each in found.damaged for name in [each.reason.rpartition(" ")[2]] if each.line is None}
    for entry, each in verification.findings(vault, is_full=True):
        key = stream_at(entry.file)
        name = _name(key) if key else each.file
        is_reported = (name, each.line) in known or entry.file.rpartition("/")[2] in missing
        if each.line is None and not entry.lost:
            is_reported = is_reported or any(name == stream for stream, _ in known)
        if not is_reported:
            found.damaged.append(Damage(name, each.line, each.reason))


def _owner(key: StreamKey) -> tuple[str, str, str]:
    return key.workspace, key.agent, key.conversation


def _name(key: StreamKey) -> str:
    return f"{key.workspace}/{key.agent}/{key.conversation}/{key.stream}"


def _check_stream(
    vault: Vault, key: StreamKey, source: Source | None, found: VaultCheck, advance: Callable[[int], None]
) -> None:
    found.streams += 1
    order = _Order(key)
    file = _open_source(source.path) if source else None
    comparison = StreamComparison(file) if file else None
    number = 0
    for line in vault.lines(key):
        number += 1
        if isinstance(line, Damaged):
            number = line.number
            order.lose_place()
            found.damaged.append(Damage(_name(key), line.number, line.reason))
            continue
        found.lines += 1
        found.size_bytes += len(line.bytes)
        advance(len(line.bytes))
        if reason := order.wrong_with(line):
            found.damaged.append(Damage(_name(key), number, reason))
        if comparison:
            comparison = _taken(comparison, line)
    if source:
        found.sources[_state(comparison, file)].append(source.path)


def _taken(comparison: StreamComparison, line: StoredLine) -> StreamComparison | None:
    """Return the comparison with this line added; None if the source can no longer be read."""
    try:
        comparison.take(line)
    except OSError:
        return None
    return comparison


def _state(comparison: StreamComparison | None, file: BinaryIO | None) -> str:
    """Return the state of the source compared with what was stored of it."""
    if file is None:
        return "gone"
    with file:
        if comparison is None:
            return "gone"
        if not comparison.is_equal:
            return "differs"
        return "ahead" if os.fstat(file.fileno()).st_size > comparison.end else "equal"


def _check_blobs(vault: Vault, existing: set[str], named: dict[str, str], found: VaultCheck) -> None:
    for name in sorted(existing):
        found.blobs += 1
        if vault.blob(name) is None:
            found.damaged.append(Damage(blob_place(name), None, "its content does not match its name"))
    for name in sorted(named.keys() - existing):
        found.damaged.append(Damage(named[name], None, f"its content is missing: {name}"))


class _Order:
    """Checks that each line follows the one before it: its owner, its id, its revision, its offset."""

    def __init__(self, key: StreamKey) -> None:
        self._key = key
        self._revision = 0
        self._offset = 0
        self._is_lost = False

    def lose_place(self) -> None:
        """Forget the expected position: the next undamaged line sets it again."""
        self._is_lost = True

    def wrong_with(self, line: StoredLine) -> str | None:
        head = line.head
        reason = self._reason(line)
        self._revision, self._offset = head.revision, head.offset + len(line.bytes)
        self._is_lost = reason is not None
        return reason

    def _reason(self, line: StoredLine) -> str | None:
        head, key = line.head, self._key
        if (head.conversation_id, head.agent_id) != (key.conversation, key.agent):
            return f"it belongs to conversation {head.conversation_id} of agent {head.agent_id}"
        if not line.has_id_of(key.conversation, key.stream):
            return "its id does not match its place"
        if self._is_lost:
            return None
        begins = head.revision == self._revision + 1
        if head.revision != self._revision and not begins:
            return f"revision {self._revision} is followed by {head.revision}"
        if begins and (head.follows is None or head.follows != head.offset or head.follows > self._offset):
            return f"revision {head.revision} does not say what it follows"
        if not begins and head.offset != self._offset:
            return f"byte {self._offset} of the source should be here, this is {head.offset}"
        return None


def _open_source(path: str) -> BinaryIO | None:
    """Open the source read-only; None if it is gone or not a regular file."""
    if not Path(path).is_absolute():
        return None
    try:
        return open_file(path, None)
    except SourceUnreadable:
        return None
