"""Records that are not messages: shown as events, or hidden because they are for the client's own use."""

import msgspec
from msgspec import Raw

from chorus.core.conversation import messages, threads
from chorus.core.conversation.client_reports import report_of
from chorus.core.conversation.failures import failure_of
from chorus.core.conversation.fold_context import FoldContext
from chorus.core.conversation.items import MAIN, Compaction, Notice
from chorus.core.conversation.rate_limits import rate_limit_words
from chorus.core.records.dialect import kind_of
from chorus.core.records.model import Value, flat, session, stream, type_of
from chorus.core.records.model.base import Envelope, Other, is_present
from chorus.core.records.model.compaction import MicrocompactMetadata
from chorus.core.records.model.system import INTERNAL_SUBTYPES, System
from chorus.core.records.record import Unread

_TEXT_CHARS = 4000
_micro = msgspec.json.Decoder(MicrocompactMetadata)
_NO_ERRORS = Raw(b"[]")
_LEVELS = frozenset({"error", "info", "warning"})
_metadata = msgspec.json.Decoder(dict[str, object])


def note(context: FoldContext) -> None:
    """Adds a notice for the record. A copy of it from another stream adds no second one."""
    value = context.value
    if not messages.claim(context, 0, None):
        return
    if context.agent == MAIN:
        threads.add_other_line(context)
    kind = kind_of(value)
    # A `system` line without a subtype may contain anything: the whole record is shown if it has no known text.
    unknown = isinstance(value, Other) or (isinstance(value, System) and not kind and _text_of(value) is None)
    is_internal = (
        (isinstance(value, Envelope) and not value.is_row)
        or (isinstance(value, System) and kind in INTERNAL_SUBTYPES and not _is_hook_failure(value))
        or (isinstance(value, Other) and bool(value.hook_event_name or value.display))
    )
    context.changes.append(
        Notice(
            id="note:" + context.id,
            order=context.order,
            agent=context.agent,
            type=type_of(value),
            kind=kind,
            place=context.place,
            is_internal=is_internal,
            body=Raw(context.record.json) if unknown else Raw(),
            file_facts=Raw(context.record.json) if _is_about_files(value, kind) else Raw(),
            time=context.time,
            text=None if is_internal else _text_of(value),
            failure=failure_of(value) if isinstance(value, System) else None,
            level=value.level if isinstance(value, System) and value.level in _LEVELS else None,
            report=report_of(value),
        )
    )


def _is_about_files(value: Value, kind: str) -> bool:
    """Returns whether a record says something about the state of files: a backup, or a hook that ran after a call."""
    if isinstance(value, session.Attachment):
        return kind.startswith("hook_")
    return isinstance(value, (session.FileHistorySnapshot, session.FileHistoryDelta))


def _is_hook_failure(value: System) -> bool:
    """Returns whether a hook failed or stopped the agent, which a person wants to know."""
    if value.preventedContinuation or (value.exit_code or 0) != 0:
        return True
    return is_present(value.hookErrors) and value.hookErrors != _NO_ERRORS


def compaction(context: FoldContext, value: System) -> None:
    """Adds a compaction: from here on, the model sees a summary of what came before."""
    if not messages.claim(context, 0, None):
        return
    if context.agent == MAIN:
        threads.add_other_line(context)
    facts = value.compactMetadata or value.compact_metadata
    item = Compaction(
        id="note:" + context.id, order=context.order, agent=context.agent, place=context.place, time=context.time
    )
    if facts:
        item.trigger = facts.trigger
        item.pre_tokens = facts.preTokens if facts.preTokens is not None else facts.pre_tokens
        item.post_tokens = facts.postTokens if facts.postTokens is not None else facts.post_tokens
    context.changes.append(item)


def unread(context: FoldContext, record: Unread) -> None:
    """Adds a notice for unread bytes, with place and reason."""
    context.changes.append(
        Notice(
            id="note:" + context.id,
            order=context.order,
            type="unread",
            kind="",
            place=context.place,
            is_internal=False,
            text=record.raw[:_TEXT_CHARS].decode("utf-8", "replace"),
            reason=record.reason,
        )
    )


def _cleared(value: System) -> str | None:
    """Returns the text for a microcompaction, which removed old tool results from the context without a summary."""
    if value.subtype != "microcompact_boundary" or not is_present(value.microcompactMetadata):
        return None
    try:
        facts = _micro.decode(value.microcompactMetadata)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    counts = ((facts.preTokens, "before"), (facts.tokensSaved, "saved"))
    parts = [f"{count:,} tokens {word}" for count, word in counts if count is not None]
    trigger = f" ({facts.trigger})" if facts.trigger else ""
    return f"Old tool results were cleared from the context{trigger}" + (": " if parts else "") + ", ".join(parts)


def _metadata_lines(metadata: Raw) -> list[str]:
    """Returns the metadata that a wrapper added to a prompt, one line for each entry."""
    if not is_present(metadata):
        return []
    try:
        found = _metadata.decode(metadata)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return [bytes(metadata).decode("utf-8", "replace")]
    return [f"{name}: {value if isinstance(value, str) else _json(value)}" for name, value in found.items()]


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode("utf-8", "replace")


def _text_of(value: Value) -> str | None:
    match value:
        case System():
            text = _cleared(value) or value.content or value.message or value.summary or value.stderr
            if text is None and is_present(value.hookErrors):
                text = bytes(value.hookErrors).decode("utf-8", "replace")
            if text is None and value.error != Raw():
                text = bytes(value.error).decode("utf-8", "replace")
            if text is None and value.tool_name:
                text = value.tool_name
        case flat.Error():
            error = value.error
            text = f"{error.type}: {error.message}" if isinstance(error, flat.ErrorDetail) else error
        case flat.PermissionRequest():
            text = "\n".join(filter(None, (value.prompt, *_metadata_lines(value.metadata)))) or None
        case session.PrLink():
            text = value.prUrl
        case session.FrameLink():
            text = value.frameUrl
        case stream.RateLimitEvent():
            text = rate_limit_words(value)
        case stream.ConversationReset():
            text = value.new_conversation_id
        case _:
            text = None
    return text[:_TEXT_CHARS] if text else None
