"""The fields that divide a struct into kinds, with every known kind. A `*` in a kind matches any text."""

from typing import Literal, get_args

from msgspec import Struct

from chorus.core.records.model import (
    attachment,
    attachments,
    blocks,
    control,
    hooks,
    progress,
    session,
    stream,
    system,
    turns,
)

FindingKind = Literal["type", "subtype", "block", "attachment", "progress", "field", "shape"]
"""In which way data can be unknown to the model."""


class Kind(Struct, frozen=True):
    field: str
    """The field that contains the kind."""
    known: tuple[str, ...]
    finding: FindingKind = "subtype"
    """The kind of finding that an unknown value is reported as."""
    of: str = ""
    """Prefix of the name in reports, if the name alone is not clear."""


_BODY_TAGS = tuple(str(body.__struct_config__.tag) for body in get_args(attachments.BODIES))

KINDS: dict[type[Struct], Kind] = {
    system.System: Kind("subtype", system.SYSTEM_SUBTYPES, of="system"),
    turns.Result: Kind("subtype", turns.RESULT_SUBTYPES, of="result"),
    stream.Event: Kind("type", stream.EVENT_TYPES, of="stream_event"),
    stream.Request: Kind("subtype", control.REQUEST_SUBTYPES, of="control_request"),
    stream.Response: Kind("subtype", control.RESPONSE_SUBTYPES, of="control_response"),
    session.QueueOperation: Kind("operation", session.QUEUE_OPERATIONS, of="queue-operation"),
    hooks.HookPayload: Kind("hook_event_name", hooks.HOOK_EVENTS, of="hook"),
    progress.ProgressData: Kind("type", progress.PROGRESS_KINDS, "progress"),
    blocks.Block: Kind("type", blocks.BLOCK_TYPES, "block"),
    attachment.Body: Kind("type", (*_BODY_TAGS, *attachments.NAMED_ATTACHMENTS), "attachment"),
}
