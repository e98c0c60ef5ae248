"""Copies a conversation into memory for an export: selected and redacted, so that every format shows the same."""

from collections.abc import Iterator
from pathlib import PurePosixPath

import msgspec
from msgspec import Struct, field

from chorus.core.conversation.fold import agent_of_file
from chorus.core.records.place import StreamId
from chorus.core.records.record import Piece, Record
from chorus.core.records.split import Splitter
from chorus.core.redaction.choices import Choices
from chorus.core.redaction.findings import Finding
from chorus.core.redaction.redactor import Redactor
from chorus.errors import SourceUnreadable
from chorus.keep.archive.listing import AGENT_PREFIX, MANIFEST_STREAM, NOTES, Kept, named
from chorus.keep.archive.manifest import CONFIG_BASE, SESSION_BASE, Manifest, SideFile, manifest_of
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.line import StoredLine
from chorus.keep.vault.memory import MemoryVault
from chorus.keep.vault.port import Vault
from chorus.keep.vault.records import stream_id
from chorus.show.exports.leaving_out import without
from chorus.show.exports.selection import Selection, agent_of, time_of

_MAX_SIDE_FILE_BYTES = 64 << 20
_BATCH_BYTES = 1 << 20


class Copied(Struct, kw_only=True):
    """A conversation in memory, and what was done to it."""

    vault: MemoryVault
    kept: Kept
    findings: list[Finding]
    """Everything that was found, replaced or not."""
    missing: list[str] = field(default_factory=list)
    """What the vault no longer has: each a line that says what is missing and why."""
    records: int = 0
    left_out: int = 0
    """Records outside of the selection."""
    wanted: int = 0
    """Records within the selection, without those that are about the conversation as a whole."""

    @property
    def hidden(self) -> list[Finding]:
        return [each for each in self.findings if not each.is_allowed and each.rule.kind != "image"]


class _Stored(Struct):
    """A piece of a stream, and the time at which Chorus saw it if it has none of its own."""

    piece: Piece
    seen_at: str


def copy(vault: Vault, kept: Kept, choices: Choices, selection: Selection | None = None) -> Copied:
    """Returns a conversation for an export. Nothing in the vault is changed."""
    chosen = selection or Selection()
    manifest = manifest_of(vault, kept)
    copied = Copied(vault=MemoryVault(), kept=kept, findings=[])
    redactor = Redactor(choices)
    streams: dict[StreamKey, list[_Stored]] = {}
    for key in kept.content:
        streams[key] = list(_selected(vault, key, chosen, copied))
        redactor.search(key.stream, [each.piece for each in streams[key]])
    side_files = dict(_side_files(vault, manifest, chosen, copied))
    for name, data in side_files.items():
        redactor.search_text(name, _text(data))
    redactor.settle()
    for key, stored in streams.items():
        _append(copied.vault, key, stored, redactor)
    for key in kept.keys:
        if key.stream in NOTES and key.stream != MANIFEST_STREAM:
            # It says that the conversation comes from a log.
            copied.vault.append(key, b"{}\n", seen_at="")
    _append_manifest(copied.vault, kept, manifest, side_files, redactor)
    if not copied.wanted:
        raise SourceUnreadable(f"{kept.id}: nothing of this conversation is within the selection")
    copied.kept = named(copied.vault, [kept.name])[0]
    copied.findings = redactor.found
    return copied


def pieces_of(vault: Vault, key: StreamKey) -> Iterator[tuple[Piece, str, bool]]:
    """Yields every piece of a stored stream, the time at which it was seen, and whether that time counts."""
    splitter: Splitter | None = None
    revision, offset = -1, 0
    seen_at, is_seen = "", False
    for line in vault.lines(key):
        if not isinstance(line, StoredLine):
            continue
        head = line.head
        if splitter is None or head.revision != revision or head.offset != offset:
            if splitter is not None:
                yield from ((piece, seen_at, is_seen) for piece in splitter.close())
            splitter, revision = Splitter(StreamId(stream_id(key, head.revision)), head.offset), head.revision
        offset = head.offset + len(line.body) + len(head.end)
        seen_at, is_seen = head.timestamp, head.seen
        yield from ((piece, seen_at, is_seen) for piece in splitter.feed(line.bytes))
    if splitter is not None:
        yield from ((piece, seen_at, is_seen) for piece in splitter.close())


def _selected(vault: Vault, key: StreamKey, selection: Selection, copied: Copied) -> Iterator[_Stored]:
    agent = agent_of_file(f"{key.stream}.jsonl") if key.stream.startswith(AGENT_PREFIX) else None
    now: str | None = None
    for piece, seen_at, is_seen in pieces_of(vault, key):
        if isinstance(piece, Record):
            copied.records += 1
            now = time_of(piece) or (seen_at if is_seen else None) or now
            of = agent_of(piece) or agent or ""
            is_wanted = selection.holds(now) and selection.thread in (None, of)
            if not (is_wanted or _is_title(piece)):
                copied.left_out += 1
                continue
            copied.wanted += is_wanted
            data = without(piece.json, selection)
            if data is None:
                copied.left_out += 1
                continue
            if data is not piece.json:
                piece = _with_json(piece, data)  # noqa: PLW2901 - the same record with less in it
        yield _Stored(piece, seen_at)


def _is_title(record: Record) -> bool:
    """Returns whether a record is about the conversation as a whole: its title belongs to every part of it."""
    return record.type in ("ai-title", "custom-title", "agent-name")


def _with_json(record: Record, data: bytes) -> Record:
    """Returns a record with another JSON text, read again so that its value fits."""
    splitter = Splitter(record.stream, record.offset)
    read = [piece for piece in (*splitter.feed(data), *splitter.close()) if isinstance(piece, Record)]
    if len(read) != 1:
        return record
    read[0].tail = record.tail or b"\n"
    return read[0]


def _append(vault: MemoryVault, key: StreamKey, stored: list[_Stored], redactor: Redactor) -> None:
    waiting: list[bytes] = []
    size, seen_at = 0, ""
    times = iter(stored)
    for piece, data in redactor.replace(key.stream, [each.piece for each in stored]):
        time = next(times).seen_at
        if waiting and (time != seen_at or size > _BATCH_BYTES) and waiting[-1].endswith(b"\n"):
            vault.append(key, b"".join(waiting), seen_at=seen_at)
            waiting, size = [], 0
        seen_at = time
        line = data + piece.tail
        if data is not piece.raw and not piece.tail:
            line += b"\n"
        waiting.append(line)
        size += len(line)
    if waiting:
        vault.append(key, b"".join(waiting), seen_at=seen_at)


def _side_files(vault: Vault, manifest: Manifest, selection: Selection, copied: Copied) -> Iterator[tuple[str, bytes]]:
    """Yields the side files that a reader sees: long outputs, plans, and what the client noted about sub-agents."""
    for (base, path), side in manifest.side_files.items():
        is_output = base == SESSION_BASE and path.startswith("tool-results/")
        is_note = base == SESSION_BASE and path.endswith(".meta.json")
        is_plan = base == CONFIG_BASE and path.startswith("plans/")
        if not (is_output or is_note or is_plan) or (is_output and not selection.has_tool_output):
            continue
        if side.size > _MAX_SIDE_FILE_BYTES:
            copied.missing.append(f"{PurePosixPath(path).name}: left out, because it has {side.size:,} bytes")
            continue
        data = vault.blob(side.blob)
        if data is None:
            copied.missing.append(f"{PurePosixPath(path).name}: the vault no longer has this side file")
            continue
        yield f"{base}:{path}", data


def _append_manifest(
    vault: MemoryVault, kept: Kept, manifest: Manifest, side_files: dict[str, bytes], redactor: Redactor
) -> None:
    key = StreamKey(kept.workspace, kept.agent, kept.id, MANIFEST_STREAM)
    facts: list[Struct] = []
    for stream in manifest.kept:
        if (source := manifest.sources.get(stream)) is not None:
            facts.append(
                msgspec.structs.replace(
                    source, path=redactor.replace_text("", source.path), config_dir=None, project_key=None
                )
            )
        elif (part := manifest.parts.get(stream)) is not None:
            facts.append(msgspec.structs.replace(part, path=redactor.replace_text("", part.path)))
    for name, data in side_files.items():
        base, _, path = name.partition(":")
        new = redactor.replace_text(name, _text(data)).encode("utf-8", "surrogateescape")
        facts.append(SideFile(path=path, base=base, blob=vault.put_blob(new), size=len(new)))
    lines = b"".join(msgspec.json.encode(fact) + b"\n" for fact in facts)
    vault.append(key, lines, seen_at="")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
