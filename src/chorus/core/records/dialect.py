"""Finds the dialect and the kind of a record from the record alone."""

from collections.abc import Callable
from typing import Any

import msgspec

from chorus.core.records.model import Value, flat, session, stream, system, turns
from chorus.core.records.model.base import Other
from chorus.core.records.record import Dialect

_FLAT = (flat.SessionStart, flat.Text, flat.ToolUse, flat.ToolResult, flat.PermissionRequest, flat.Error)
_BY_STRUCT: dict[type, Dialect] = {
    **dict.fromkeys(_FLAT, Dialect.FLAT),
    **{struct: Dialect.SESSION for struct in vars(session).values() if isinstance(struct, type)},
    **{struct: Dialect.STREAM_JSON for struct in vars(stream).values() if isinstance(struct, type)},
}


class _Kind(msgspec.Struct):
    type: str | None = None


_kind = msgspec.json.Decoder(_Kind)


def dialect_of(value: Value) -> Dialect:
    """Returns the dialect of one record. User, assistant and system lines occur in all; their envelope decides."""
    known = _BY_STRUCT.get(type(value))
    if known:
        return known
    if value.sessionId or value.parentUuid or value.isSidechain is not None:
        is_flat_result = isinstance(value, turns.Result) and value.subtype is None
        return Dialect.FLAT if is_flat_result else Dialect.SESSION
    match value:
        case turns.Result():
            return Dialect.FLAT if value.subtype is None else Dialect.STREAM_JSON
        case system.System():
            return Dialect.FLAT if value.subtype is None else Dialect.STREAM_JSON
        case turns.Assistant():
            if value.session_id or value.parent_tool_use_id:
                return Dialect.STREAM_JSON
            if value.uuid:
                return Dialect.SESSION
            return Dialect.STREAM_JSON if value.message and value.message.id else Dialect.FLAT
        case turns.User():
            return Dialect.SESSION if value.uuid and not value.session_id and value.timestamp else Dialect.STREAM_JSON
        case Other():
            return Dialect.STREAM_JSON if value.session_id else Dialect.OTHER
    return Dialect.OTHER


def kind_of(value: Value) -> str:
    """Returns `subtype`, or the field that has its role for this type of record; empty if there is none."""
    special = _KINDS.get(type(value))
    return (special(value) if special else value.subtype) or ""


def _kind_of_attachment(value: session.Attachment) -> str:
    # Attachments may be very long: only this key is decoded, the rest is skipped.
    try:
        return _kind.decode(value.attachment).type or ""
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return ""


def _kind_of_progress(value: session.Progress) -> str | None:
    return value.data.type if value.data else None


def _kind_of_event(value: stream.StreamEvent) -> str | None:
    return value.event.type if value.event else None


def _kind_of_request(value: stream.ControlRequest) -> str | None:
    return value.request.subtype if value.request else None


def _kind_of_response(value: stream.ControlResponse) -> str | None:
    return value.response.subtype if value.response else None


def _kind_of_operation(value: session.QueueOperation) -> str | None:
    return value.operation


def _kind_of_other(value: Other) -> str | None:
    return value.hook_event_name or value.subtype


_KINDS: dict[type, Callable[[Any], str | None]] = {
    session.Attachment: _kind_of_attachment,
    session.Progress: _kind_of_progress,
    session.QueueOperation: _kind_of_operation,
    stream.StreamEvent: _kind_of_event,
    stream.ControlRequest: _kind_of_request,
    stream.ControlResponse: _kind_of_response,
    Other: _kind_of_other,
}
