"""Queued input as a reader sees it: what a person typed, and in words what the client put there for itself."""

import msgspec
from msgspec import Struct

from chorus.core.views import content, figures
from chorus.core.views.blocks import Block, Json, Note, Prose


class _Task(Struct):
    """A background task, as clients queue it."""

    description: str | None = None
    summary: str | None = None
    task_type: str | None = None
    status: str | None = None


_task = msgspec.json.Decoder(_Task)
_TYPES = {"local_bash": "command", "local_agent": "agent", "remote_agent": "agent elsewhere"}
_REFUSALS = (msgspec.MsgspecError, UnicodeError, RecursionError)


def queued_words(text: str) -> tuple[Block, ...]:
    """The blocks of a queued text. JSON is no prose: the task that it tells of is named, and all of it lies below."""
    start = text.strip()
    if not start:
        return ()
    if not start.startswith(("{", "[")) or not _is_json(start):
        return (Prose(markdown=text),)
    whole = Json(text=content.laid_out(start) or start, title="as it was queued", is_bulk=True)
    try:
        task = _task.decode(start)
    except _REFUSALS:
        return (Note(text="a record of the client"), whole)
    kind = f"background {_TYPES.get(task.task_type or '', 'task')}"
    about = task.description or task.summary or ""
    state = f" ({figures.in_words(task.status)})" if task.status else ""
    return (Note(text=f"{kind}: {about}{state}" if about else f"{kind}{state}"), whole)


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except _REFUSALS:
        return False
    return True
