"""Finds names in a record that the catalogue does not know: its type, its kind, the types of its content blocks."""

from chorus.core.records.catalog import catalog, matches, tree_of
from chorus.core.records.dialect import kind_of
from chorus.core.records.model import Value, attachment, progress, session, stream, system, turns
from chorus.core.records.model.base import Other
from chorus.core.records.model.blocks import BLOCK_TYPES
from chorus.core.records.model.kinds import KINDS
from chorus.core.records.record import Record

_KNOWN_KINDS: dict[type[Value], tuple[str, ...]] = {
    system.System: KINDS[system.System].known,
    turns.Result: KINDS[turns.Result].known,
    session.QueueOperation: KINDS[session.QueueOperation].known,
    session.Progress: KINDS[progress.ProgressData].known,
    session.Attachment: KINDS[attachment.Body].known,
    stream.StreamEvent: KINDS[stream.Event].known,
    stream.ControlRequest: KINDS[stream.Request].known,
    stream.ControlResponse: KINDS[stream.Response].known,
}
_PLAIN_BLOCKS = frozenset(BLOCK_TYPES)


def unknown_name(record: Record) -> str | None:
    """Returns `type` or `type/kind` (of an attachment or progress: its own kind), if it is not in the catalogue."""
    value = record.value
    known = _KNOWN_KINDS.get(type(value))
    if known is not None:
        kind = kind_of(value)
        return f"{record.type}/{kind}" if kind and not matches(kind, known) else None
    if not isinstance(value, Other):
        return None
    name, _, is_known = catalog().struct_of({"type": value.type} if value.type else tree_of(record.json))
    return None if is_known else name


def is_known_block(name: str) -> bool:
    return name in _PLAIN_BLOCKS or matches(name, BLOCK_TYPES)
