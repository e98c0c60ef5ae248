"""One line of a recording or of a caller: its bytes, and what can be read of them without trust."""

import re
from typing import Any

import msgspec
from msgspec import Struct

_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_REFUSALS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)

Value = dict[str, Any]


class Line(Struct, frozen=True):
    """Bytes with their line end, and the JSON object they hold; `value` is empty where they hold none."""

    raw: bytes
    value: Value

    @property
    def kind(self) -> str:
        return words(self.value, "type")

    @property
    def subtype(self) -> str:
        return words(self.value, "subtype")

    @property
    def is_unread(self) -> bool:
        """Whether there is something in it that is no JSON object."""
        return not self.value and bool(self.raw.strip())


def read(raw: bytes) -> Line:
    """Any bytes are a line; nothing raises."""
    try:
        value = msgspec.json.decode(raw)
    except _REFUSALS:
        value = None
    return Line(raw, value if isinstance(value, dict) else {})


def read_all(data: bytes) -> list[Line]:
    """The lines of a file; their bytes put together are the file."""
    return [read(raw) for raw in _LINE.findall(data)]


def write(value: Value) -> Line:
    """A line as a client writes it: compact, UTF-8, ended by a newline."""
    return Line(msgspec.json.encode(value) + b"\n", value)


def at(value: Any, *path: str) -> Any:
    """What lies at a path of keys; None where the path leads nowhere."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def words(value: Any, *path: str) -> str:
    """The text at a path of keys; empty where there is none."""
    found = at(value, *path)
    return found if isinstance(found, str) else ""


def blocks(line: Line) -> list[Value]:
    """The content blocks of a `user` or `assistant` line."""
    content = at(line.value, "message", "content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def calls(line: Line) -> list[str]:
    """The ids of the tools an `assistant` line calls."""
    if line.kind != "assistant":
        return []
    found = [words(block, "id") for block in blocks(line) if block.get("type") == "tool_use"]
    return [call for call in found if call]


def results(line: Line) -> list[str]:
    """The ids of the calls whose results a `user` line brings."""
    if line.kind != "user":
        return []
    found = [words(block, "tool_use_id") for block in blocks(line) if block.get("type") == "tool_result"]
    return [call for call in found if call]


def said(value: Value) -> str:
    """The text of a message: a string, or its text blocks one after another."""
    content = at(value, "message", "content")
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(words(block, "text") for block in content if at(block, "type") == "text")
