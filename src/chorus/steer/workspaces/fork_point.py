"""Finds the line after which a conversation is cut for a fork: behind the whole message. Pure.

A message of the model is several lines, one for each block, and the results of its calls are more lines, in any order.
The client keeps everything before the cut in its file, so the cut is the last of these lines in the order of the file;
any other cut would separate results from calls.
"""

from collections.abc import Iterable

import msgspec
from msgspec import Struct

_REFUSALS = (msgspec.DecodeError, UnicodeError, RecursionError)


class _Block(Struct):
    type: str = ""
    id: str | None = None
    tool_use_id: str | None = None


class _Message(Struct):
    id: str | None = None
    content: list[_Block] | str | None = None


class _Line(Struct):
    type: str = ""
    uuid: str | None = None
    message: _Message | None = None


class SessionLine(Struct, frozen=True):
    """One line of a session: its uuid, the message of the model that it belongs to, its calls and results."""

    uuid: str
    message: str | None = None
    calls: tuple[str, ...] = ()
    results: tuple[str, ...] = ()


def read_line(data: bytes) -> SessionLine | None:
    """Returns the relevant parts of a line; None if it has no uuid."""
    try:
        line = _line.decode(data)
    except _REFUSALS:
        return None
    if not line.uuid:
        return None
    message = line.message or _Message()
    blocks = message.content if isinstance(message.content, list) else []
    return SessionLine(
        uuid=line.uuid,
        message=message.id if line.type == "assistant" else None,
        calls=tuple(each.id for each in blocks if each.type == "tool_use" and each.id),
        results=tuple(each.tool_use_id for each in blocks if each.type == "tool_result" and each.tool_use_id),
    )


def cut(lines: Iterable[SessionLine], uuid: str) -> str | None:
    """Returns the uuid of the last line of the message that contains the line `uuid`; None if there is no such line."""
    there = list(lines)
    target = next((each for each in there if each.uuid == uuid), None)
    if target is None:
        return None
    calls = set(target.results)
    names = {each.message for each in there if each.message and (each.uuid == uuid or calls & set(each.calls))}
    parts = [each for each in there if each.message in names]
    calls |= {call for each in parts for call in each.calls}
    ends = [each.uuid for each in there if each.message in names or calls & set(each.results)]
    return ends[-1] if ends else uuid


_line = msgspec.json.Decoder(_Line)
