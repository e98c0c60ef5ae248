"""What records of the client say about running work: `progress` records and the `task_…` lines of `system`."""

import msgspec

from chorus.core.conversation.items import ClientReport
from chorus.core.records.model import Value, session, system
from chorus.core.records.model.base import is_present

CUT = "\n…\n"
"""Stands for the middle of an output that was left out."""
_HEAD_CHARS, _TAIL_CHARS = 600, 1400
_TASK_LINES = frozenset({"task_started", "task_progress"})
_LARGEST = 1e9
_DECODE_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


_output = msgspec.json.Decoder(str)
_usage = msgspec.json.Decoder(system.TaskUsage)


def report_of(value: Value) -> ClientReport | None:
    """Returns what a record reports about running work; None for every other record."""
    if isinstance(value, session.Progress):
        return _of_progress(value)
    if isinstance(value, system.System) and value.subtype in _TASK_LINES and value.task_id:
        return ClientReport(
            call=value.tool_use_id,
            agent=value.task_id,
            step=value.description,
            tool=value.last_tool_name,
            tool_uses=_tool_uses(value.usage),
        )
    return None


def clip(text: str, head_chars: int, tail_chars: int) -> str:
    """Returns the beginning and the end of a text, with `CUT` between them if it is longer."""
    return text if len(text) <= head_chars + tail_chars else text[:head_chars] + CUT + text[-tail_chars:]


def _of_progress(value: session.Progress) -> ClientReport | None:
    data = value.data
    call = value.parentToolUseID or value.toolUseID
    if data is None or not call:
        return None
    if data.type == "bash_progress":
        output = _clipped(data.fullOutput) or _clipped(data.output)
        return ClientReport(call=call, output=output) if output else None
    if data.type == "mcp_progress" and data.progress is not None:
        return ClientReport(
            call=call,
            step=data.progressMessage or data.toolName,
            completed=_whole(data.progress),
            total=_whole(data.total),
        )
    return None


def _whole(number: float | None) -> int | None:
    return int(number) if number is not None and 0 <= number <= _LARGEST else None


def _clipped(raw: msgspec.Raw) -> str | None:
    """Returns the beginning and the end of an output: every record repeats all of it, and the middle says nothing."""
    if not is_present(raw):
        return None
    try:
        text = _output.decode(raw)
    except _DECODE_ERRORS:
        return None
    return clip(text, _HEAD_CHARS, _TAIL_CHARS) or None


def _tool_uses(raw: msgspec.Raw) -> int | None:
    if not is_present(raw):
        return None
    try:
        return _usage.decode(raw).tool_uses
    except _DECODE_ERRORS:
        return None
