"""Reads the moments of `--from` and `--to`: times, and ids of messages."""

from collections.abc import Iterable
from datetime import datetime

from chorus.core.query.dates import parse_date
from chorus.core.records.record import Record
from chorus.errors import ChorusError
from chorus.keep.archive.listing import Kept
from chorus.keep.vault.port import Vault
from chorus.show.exports.copying import pieces_of
from chorus.show.exports.selection import time_of

_MIN_ID_CHARS = 6


def moment(text: str, vault: Vault, kept: Iterable[Kept], *, now: datetime, is_end: bool = False) -> str:
    """Returns the time (ISO 8601, UTC) of a moment. Raises `ChorusError` if it means nothing.

    A day or a minute stands for its beginning; with `is_end`, for its end.
    """
    if "!" in text:
        # The id of a moment of the player begins with its time.
        return text.partition("!")[0]
    found = _of_record(text, vault, kept) if len(text) >= _MIN_ID_CHARS else None
    if found is not None:
        return found
    try:
        span = parse_date(text, now=now)
    except ValueError as error:
        raise ChorusError(f"{text}: no message of this conversation has this id, and {error}") from None
    return span.end if is_end else span.moment


def _of_record(wanted: str, vault: Vault, kept: Iterable[Kept]) -> str | None:
    mark = wanted.encode()
    for each in kept:
        for key in each.content:
            for piece, seen_at, _ in pieces_of(vault, key):
                if isinstance(piece, Record) and mark in piece.raw and _is_id(piece, wanted):
                    return time_of(piece) or seen_at
    return None


def _is_id(record: Record, wanted: str) -> bool:
    value = record.value
    message = getattr(value, "message", None)
    ids = (getattr(value, "uuid", None), getattr(message, "id", None))
    return any(isinstance(each, str) and each.startswith(wanted) for each in ids)
