"""The stream of a conversation that tells what was decided about its permission requests."""

import msgspec

from chorus.core.records.model.decision import Decision
from chorus.core.records.record import Dialect, Record

DECISIONS_STREAM = "decisions"
_decision = msgspec.json.Decoder(Decision)


def decision_record(record: Record) -> Record:
    """A line of that stream as the decision it is; what is none stays what it is."""
    try:
        value = _decision.decode(record.json)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return record
    kept = (record.stream, record.offset, record.raw, record.tail)
    return Record(*kept, value, "decision", value.state, Dialect.OTHER, record.joined)
