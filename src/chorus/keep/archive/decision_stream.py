"""The stream of a conversation with the decisions about its permission requests."""

import msgspec

from chorus.core.records.model.decision import Decision
from chorus.core.records.record import Dialect, Record

DECISIONS_STREAM = "decisions"
_decision = msgspec.json.Decoder(Decision)


def decision_record(record: Record) -> Record:
    """Return a line of that stream as a decision; any other record is returned unchanged."""
    try:
        value = _decision.decode(record.json)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return record
    kept = (record.stream, record.offset, record.raw, record.tail)
    return Record(*kept, value, "decision", value.state, Dialect.OTHER, record.joined)
