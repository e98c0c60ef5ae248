"""Finds when sessions started, from all their lines: needed only for those that share a message with another."""

from collections.abc import Iterable, Iterator

import msgspec
from msgspec import Struct

from chorus.core.records.session_ids import id_in
from chorus.core.records.times import canonical_time
from chorus.errors import SourceUnreadable
from chorus.lab.census.joined import parts
from chorus.lab.census.line_figures import NotPlain
from chorus.lab.census.quick_reading import opened, raw_lines


class Stamp(Struct, gc=False):
    """The time and owner of a line."""

    type: str | None = None
    subtype: str | None = None
    sessionId: str | None = None  # noqa: N815 - as on the wire
    session_id: str | None = None
    timestamp: str | None = None


_stamp = msgspec.json.Decoder(Stamp)


def starts(streams: Iterable[str]) -> dict[str, str]:
    """Returns the earliest time of each session in the streams; a session without times is left out."""
    found: dict[str, str] = {}
    for stream in streams:
        for session, time in _times(stream):
            if session not in found or time < found[session]:
                found[session] = time
    return found


def _times(stream: str) -> list[tuple[str, str]]:
    try:
        return list(_read_quickly(stream))
    except SourceUnreadable:
        # It was read a moment ago and is missing now: its figures count, without a start time.
        return []
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, LookupError, NotPlain):
        return list(_routed(stream))


def _read_quickly(stream: str) -> Iterator[tuple[str, str]]:
    """Yields sessions with their earliest time if every line is a record that names its session; else raises
    `LookupError`.
    """
    file_id = id_in(stream)
    found: dict[str, str] = {}
    with opened(stream) as file:
        for raw in raw_lines(file):
            if raw.isspace():
                continue
            if not raw.isascii():
                raw.decode()
            for stamp in _stamps(raw):
                session = stamp.sessionId or stamp.session_id or file_id
                time = canonical_time(stamp.timestamp)
                if time is None:
                    continue
                if session is None or (stamp.subtype or "").startswith("hook_"):
                    raise LookupError
                if session not in found or time < found[session]:
                    found[session] = time
    yield from found.items()


def _stamps(raw: bytes) -> list[Stamp]:
    try:
        return [_stamp.decode(raw)]
    except msgspec.DecodeError:
        several = parts(raw)
        if several is None:
            raise
        return [_stamp.decode(part) for part in several]


def _routed(stream: str) -> Iterator[tuple[str, str]]:
    """Yields session and time of every record of any stream."""
    from chorus.core.records.record import Record
    from chorus.keep.sources.ownership import router_of
    from chorus.keep.sources.reading import Reading

    router = router_of(stream)
    pieces = (piece for batch in Reading(stream).batches() for piece in batch)
    routed = (pair for piece in pieces if isinstance(piece, Record) for pair in router.route(piece))
    for session, record in (*routed, *router.close()):
        if (time := canonical_time(record.value.timestamp)) is not None:
            yield session, time
