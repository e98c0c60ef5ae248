"""Decisions about permission requests, as recorded by Chorus itself."""

from chorus.core.conversation import threads
from chorus.core.conversation.fold_context import FoldContext
from chorus.core.conversation.items import MAIN, Notice
from chorus.core.conversation.tool_facts import kind_of
from chorus.core.records.model.decision import Decision

_WORDS = {
    "approved": "Approved",
    "denied": "Denied",
    "answered": "Answered elsewhere",
    "expired": "Nobody answered in time",
    "withdrawn": "No longer asked",
    "invalid": "Void",
}
_SHOWN = frozenset({"approved", "denied", "answered", "expired"})
_SURFACES = {"page": "on the page", "terminal": "in the terminal", "rule": ""}
_TEXT_CHARS = 4000


def decided(context: FoldContext, value: Decision) -> None:
    """Adds a notice for the decision, at the time of the decision."""
    if context.agent == MAIN:
        threads.add_other_line(context)
    context.changes.append(
        Notice(
            id="note:" + context.id,
            order=context.order,
            agent=context.agent,
            type="decision",
            kind=value.state,
            place=context.place,
            is_internal=value.state not in _SHOWN,
            time=context.time,
            text=in_words(value)[:_TEXT_CHARS],
            tool=value.tool,
            by=value.approver,
            call=value.toolUseId,
            latency_ms=value.latencyMs,
        )
    )


def in_words(value: Decision) -> str:
    """Returns the request, its outcome, who decided, and their message, as text."""
    is_answer = kind_of(value.tool or "") == "question" and value.state == "approved" and value.isChanged
    outcome = "Answered" if is_answer else _WORDS.get(value.state, value.state)
    is_elsewhere = value.state == "answered" and bool(value.note)
    if is_elsewhere and value.note:
        outcome = value.note[:1].upper() + value.note[1:]
    lines = [f"{outcome}: {value.title or value.tool}"]
    where = _SURFACES.get(value.surface or "", value.surface)
    latency = f"after {value.latencyMs / 1000:.0f} s" if value.latencyMs is not None else None
    who = f"by {value.approver}" if value.approver else None
    if details := " ".join(part for part in (who, where, latency) if part):
        lines[0] += f" ({details})"
    lines += [value.message] if value.message else []
    if is_answer:
        lines += [value.instead] if value.instead else []
    elif value.isChanged:
        lines.append("with another input than the one asked for" + (f": {value.instead}" if value.instead else ""))
    lines += [f"and with it: {each}" for each in value.accepted]
    lines += [value.note] if value.note and not is_elsewhere else []
    lines += ["It was sent; whether the client acted on it is not known."] if value.effect == "sent" else []
    return "\n".join(lines)
