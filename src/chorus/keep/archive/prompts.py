"""Turns lines of the client's prompt history into prompts: all that is left of a deleted session."""

import hashlib
from datetime import UTC, datetime

import msgspec
from msgspec import Struct

from chorus.core.records.decode import Refused, decode
from chorus.core.records.record import Dialect, Record
from chorus.core.records.times import wire_time


class Prompt(Struct, rename="camel"):
    display: str = ""
    timestamp: float | None = None
    """Milliseconds since 1970."""
    project: str | None = None
    session_id: str | None = None


_prompt = msgspec.json.Decoder(Prompt)


def prompt_record(record: Record, conversation: str) -> Record:
    """Return the history line as a record of a session file; any other record is returned unchanged."""
    try:
        prompt = _prompt.decode(record.json)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return record
    if not prompt.display:
        return record
    line = {
        "type": "user",
        "uuid": "history-" + hashlib.sha256(record.raw + str(record.offset).encode()).hexdigest()[:24],
        "sessionId": prompt.session_id or conversation,
        "timestamp": _time(prompt.timestamp) or record.seen_at,
        "cwd": prompt.project,
        "message": {"role": "user", "content": prompt.display},
    }
    try:
        value = decode(msgspec.json.encode(line))
    except Refused:
        return record
    return Record(
        record.stream, record.offset, record.raw, record.tail, value, "user", "", Dialect.SESSION, record.joined
    )


def _time(milliseconds: float | None) -> str | None:
    if milliseconds is None:
        return None
    try:
        moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return wire_time(moment)
