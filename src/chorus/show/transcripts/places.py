"""Reads what is stored at a place: captured records, their images, and the side files of a conversation."""

from itertools import islice

from chorus.core.records.place import StreamId
from chorus.core.records.record import Record
from chorus.core.records.split import Splitter
from chorus.keep.archive.listing import named
from chorus.keep.archive.manifest import SESSION_BASE, SideFile, manifest_of
from chorus.keep.archive.opening import blob_path
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.line import StoredLine
from chorus.show.transcripts.pictures import Picture, picture_of, pictures_in
from chorus.show.transcripts.transcript import OpenTranscript
from chorus.show.wire import RawRecord, TextPiece

PIECE_BYTES = 64 << 10
_RECORD_BYTES = 1 << 20
"""How much of a record is shown; the download contains all of it."""
_MAX_LINES = 10_000
"""If a terminal split a record into more lines than this, only its first line is shown."""


def record(opened: OpenTranscript, stream: str, at: int) -> RawRecord | None:
    """Returns a record as it was captured; None if nothing can be read at this place."""
    lines = _lines(opened, stream, at)
    if lines is None:
        return None
    data = b"".join(line.bytes for line in lines)
    return RawRecord(
        stream=stream,
        offset=lines[0].head.offset,
        size_bytes=len(data),
        text=data[:_RECORD_BYTES].decode("utf-8", "replace"),
        is_cut=len(data) > _RECORD_BYTES,
    )


def record_bytes(opened: OpenTranscript, stream: str, at: int) -> bytes | None:
    """Returns the exact bytes of a record; None if nothing can be read at this place."""
    lines = _lines(opened, stream, at)
    return b"".join(line.bytes for line in lines) if lines is not None else None


def image(opened: OpenTranscript, stream: str, at: int, nth: int) -> Picture | None:
    """Returns the n-th image of a record; None if there is none, or if its type or size is not allowed."""
    lines = _lines(opened, stream, at)
    found = _record(lines) if lines is not None else None
    source = next(islice(pictures_in(found), nth, None), None) if found is not None and nth >= 0 else None
    return picture_of(source) if source is not None else None


def side_file(opened: OpenTranscript, name: str, start: int = 0) -> TextPiece | None:
    """Returns a part of a long output that is stored in a side file; None if the vault does not have the file."""
    kept = _side_file(opened, name)
    data = _read(opened, kept, max(0, start), PIECE_BYTES) if kept is not None else None
    if kept is None or data is None:
        return None
    end = max(0, start) + len(data)
    if end < kept.size:
        # An incomplete character at the end belongs to the next part.
        while len(data) > 1 and data[-1] & 0xC0 == 0x80 and end - max(0, start) - len(data) < 3:
            data = data[:-1]
        data = data[:-1] if data and data[-1] >= 0xC0 else data
        end = max(0, start) + len(data)
    return TextPiece(
        text=data.decode("utf-8", "replace"),
        start=max(0, start),
        size_bytes=kept.size,
        next=end if end < kept.size else None,
    )


def side_file_bytes(opened: OpenTranscript, name: str) -> bytes | None:
    """Returns the exact bytes of a side file; None if the vault does not have it."""
    kept = _side_file(opened, name)
    return opened.vault.blob(kept.blob) if kept is not None else None


def _lines(opened: OpenTranscript, stream: str, at: int) -> list[StoredLine] | None:
    """Returns the lines of the record that begins at this place: one, unless a terminal split the record."""
    key = next((key for key in opened.vault.streams(opened.name) if key.stream == stream), None)
    first = opened.vault.line_at(key, at) if key is not None else None
    if key is None or first is None:
        return None
    return _whole(opened, key, first)


def _whole(opened: OpenTranscript, key: StreamKey, first: StoredLine) -> list[StoredLine]:
    splitter = Splitter(StreamId(key.stream), first.head.offset)
    if splitter.feed_line(first.body, first.head.end.encode()) is not None:
        return [first]
    lines = [first]
    size = 0
    is_done = any(isinstance(piece, Record) for piece in splitter.feed(first.bytes))
    for line in islice(opened.vault.lines(key, first.next_at), _MAX_LINES):
        if is_done or not isinstance(line, StoredLine) or size > _RECORD_BYTES:
            break
        lines.append(line)
        size += len(line.bytes)
        is_done = any(isinstance(piece, Record) for piece in splitter.feed(line.bytes))
    # If the lines never become a record, only the first line is shown.
    return lines if is_done else [first]


def _record(lines: list[StoredLine]) -> Record | None:
    splitter = Splitter(StreamId("record"), lines[0].head.offset)
    pieces = [piece for line in lines for piece in splitter.feed(line.bytes)]
    pieces += splitter.close()
    return next((piece for piece in pieces if isinstance(piece, Record)), None)


def _side_file(opened: OpenTranscript, name: str) -> SideFile | None:
    """Returns the manifest entry of a side file. A name that the manifest does not list is never opened."""
    kept = next(iter(named(opened.vault, [opened.name])), None)
    return manifest_of(opened.vault, kept).side_files.get((SESSION_BASE, f"tool-results/{name}")) if kept else None


def _read(opened: OpenTranscript, kept: SideFile, start: int, length: int) -> bytes | None:
    path = blob_path(opened.vault, kept.blob)
    if path is None:
        whole = opened.vault.blob(kept.blob)
        return whole[start : start + length] if whole is not None else None
    try:
        with path.open("rb") as file:
            file.seek(start)
            return file.read(length)
    except OSError:
        return None
