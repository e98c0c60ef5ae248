"""Reports of the client about background tasks, in all records that contain them.

The end of a background agent is reported by a `<task-notification>`: as the text of a user line, in the input queue, in
an attachment, or as a `system` line. Tools that query, stop or resume a task report about it in their results.
"""

import re

import msgspec
from msgspec import Raw, Struct

from chorus.core.conversation import agents, lifecycle
from chorus.core.conversation.authors import ATTRIBUTES
from chorus.core.conversation.fold_context import FoldContext
from chorus.core.records.model.base import is_present
from chorus.core.records.model.turns import User

NOTIFICATION = "<task-notification"
_BEGIN = re.compile(NOTIFICATION + r"[\s>]")
_HEAD_CHARS = 4000
_BODY = re.compile(r"<(?:summary|result|note|event)[\s>]")
"""The start of the task's own text, which states no facts."""
_TASK = re.compile(rf"<task-id{ATTRIBUTES}>\s*([^<\s]{{1,200}})\s*</task-id>")
_CALL = re.compile(rf"<tool-use-id{ATTRIBUTES}>\s*([^<\s]{{1,200}})\s*</tool-use-id>")
_STATUS = re.compile(rf"<status{ATTRIBUTES}>\s*([A-Za-z_-]{{1,40}})\s*</status>")
_STRUCTURED_MARKS = (b'"task_id"', b'"taskId"', b'"resumedAgentId"')
_DECODE_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class _Task(Struct):
    task_id: str | None = None
    task_type: str | None = None
    status: str | None = None


class _TaskReport(Struct):
    """The fields of structured tool results that name a task or agent."""

    task: _Task | None = None
    task_id: str | None = None
    """The id of a stopped task."""
    message: str | None = None
    resumed: str | None = msgspec.field(default=None, name="resumedAgentId")


class _Started(Struct):
    """A task in the queue of old clients: a JSON text."""

    task_id: str
    task_type: str | None = None


class _TaskStatus(Struct):
    """An attachment that reminds the model of a task."""

    task: str | None = msgspec.field(default=None, name="taskId")
    status: str | None = None


_report = msgspec.json.Decoder(_TaskReport)
_started = msgspec.json.Decoder(_Started)
_status = msgspec.json.Decoder(_TaskStatus)


def is_from_client(text: str) -> bool:
    """Returns whether the client itself queued a text: a notification, or a task as JSON. No person typed it."""
    start = text.lstrip()
    return _BEGIN.match(start) is not None or _is_task(start)


def _is_task(text: str) -> bool:
    if not text.startswith("{") or '"task_id"' not in text[:_HEAD_CHARS]:
        return False
    try:
        _started.decode(text)
    except _DECODE_ERRORS:
        return False
    return True


def in_text(context: FoldContext, text: str) -> None:
    """Reads a text that may be a notification. Its head says which task ended, and with which status."""
    start = text.lstrip()
    if _BEGIN.match(start) is None:
        return
    head = start[:_HEAD_CHARS]
    if body := _BODY.search(head):
        head = head[: body.start()]
    task, call, status = _TASK.search(head), _CALL.search(head), _STATUS.search(head)
    if status is None:
        return
    if task:
        lifecycle.report_status(context, task[1], status[1])
    if call:
        # Old streams identify an agent only by the call that started it.
        lifecycle.report_status(context, f"call:{call[1]}", status[1])


def in_user_line(context: FoldContext, value: User, text: str) -> None:
    """Reads the reports in a user line: in its text, or in its structured result."""
    if NOTIFICATION in text:
        in_text(context, text)
    for raw in (value.toolUseResult, value.tool_use_result):
        if is_present(raw):
            _in_result(context, raw, _call_of(value))


def in_attachment(context: FoldContext, raw: Raw) -> None:
    """Reads a reminder with the status of a task."""
    try:
        found = _status.decode(raw)
    except _DECODE_ERRORS:
        return
    if found.task:
        lifecycle.report_status(context, found.task, found.status)


def _call_of(value: User) -> str | None:
    """Returns the call that a line with a single result answers, else None."""
    content = value.message.content if value.message else None
    answered = (
        [block.tool_use_id for block in content if block.type == "tool_result"] if isinstance(content, list) else []
    )
    return answered[0] if len(answered) == 1 else None


def _in_result(context: FoldContext, raw: Raw, call: str | None) -> None:
    data = bytes(raw)
    if not data.startswith(b"{") or not any(mark in data for mark in _STRUCTURED_MARKS):
        return
    try:
        found = _report.decode(raw)
    except _DECODE_ERRORS:
        return
    if found.task and found.task.task_id:
        lifecycle.report_status(context, found.task.task_id, found.task.status)
    elif found.task_id and (found.message or "").startswith("Successfully stopped"):
        lifecycle.report_status(context, found.task_id, lifecycle.STOPPED)
    if found.resumed:
        if call:
            agents.link(context, found.resumed, call)
        lifecycle.report_status(context, found.resumed, lifecycle.RUNNING)
