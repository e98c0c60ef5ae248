"""Where a conversation is cut so that a copy goes on after a message: behind all of it. Pure.

A message of the model is several lines, one for each block, and what its calls gave back are more, in any order. The
client keeps what stands before the cut in its file, so the cut is the last of these lines in the file's order; any
other would take results from calls.
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


class Said(Struct, frozen=True):
    """One line of a session: its uuid, the message of the model that it is part of, its calls and results."""

    uuid: str
    message: str | None = None
    calls: tuple[str, ...] = ()
    results: tuple[str, ...] = ()


def said(data: bytes) -> Said | None:
    """What a line says as far as it matters here; None for one without a uuid."""
    try:
        line = _line.decode(data)
    except _REFUSALS:
        return None
    if not line.uuid:
        return None
    message = line.message or _Message()
    blocks = message.content if isinstance(message.content, list) else []
    return Said(
        uuid=line.uuid,
        message=message.id if line.type == "assistant" else None,
        calls=tuple(each.id for each in blocks if each.type == "tool_use" and each.id),
        results=tuple(each.tool_use_id for each in blocks if each.type == "tool_result" and each.tool_use_id),
    )


def cut(lines: Iterable[Said], uuid: str) -> str | None:
    """The uuid of the last line of the message that the line `uuid` is part of; None when there is no such line."""
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
