"""Converts queued input to view blocks: text that a person typed, and tasks that the client queued for itself."""

import msgspec
from msgspec import Struct

from chorus.core.views import content, figures
from chorus.core.views.blocks import Block, Json, Note, Prose


class _Task(Struct):
    """A background task in the form in which clients queue it."""

    description: str | None = None
    summary: str | None = None
    task_type: str | None = None
    status: str | None = None


_task = msgspec.json.Decoder(_Task)
_TYPES = {"local_bash": "command", "local_agent": "agent", "remote_agent": "agent elsewhere"}
_DECODE_ERRORS = (msgspec.MsgspecError, UnicodeError, RecursionError)


def queued_blocks(text: str) -> tuple[Block, ...]:
    """Returns the view blocks of a queued text. JSON is shown as the name of its task, followed by the JSON itself."""
    start = text.strip()
    if not start:
        return ()
    if not start.startswith(("{", "[")) or not _is_json(start):
        return (Prose(markdown=text),)
    whole = Json(text=content.indented(start) or start, title="as it was queued", is_bulk=True)
    try:
        task = _task.decode(start)
    except _DECODE_ERRORS:
        return (Note(text="a record of the client"), whole)
    kind = f"background {_TYPES.get(task.task_type or '', 'task')}"
    about = task.description or task.summary or ""
    state = f" ({figures.in_words(task.status)})" if task.status else ""
    return (Note(text=f"{kind}: {about}{state}" if about else f"{kind}{state}"), whole)


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except _DECODE_ERRORS:
        return False
    return True
