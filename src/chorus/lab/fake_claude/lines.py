"""One line of a recording or of a caller: its bytes, and what can be read of them safely."""

import re
from typing import Any

import msgspec
from msgspec import Struct

_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_REFUSALS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)

Value = dict[str, Any]


class ScriptLine(Struct, frozen=True):
    """Bytes with their line end, and the JSON object in them; `value` is empty if there is none."""

    raw: bytes
    value: Value

    @property
    def kind(self) -> str:
        return text_at(self.value, "type")

    @property
    def subtype(self) -> str:
        return text_at(self.value, "subtype")

    @property
    def is_unread(self) -> bool:
        """Whether it contains something that is no JSON object."""
        return not self.value and bool(self.raw.strip())


def read(raw: bytes) -> ScriptLine:
    """Reads any bytes as a line; never raises."""
    try:
        value = msgspec.json.decode(raw)
    except _REFUSALS:
        value = None
    return ScriptLine(raw, value if isinstance(value, dict) else {})


def read_all(data: bytes) -> list[ScriptLine]:
    """Returns the lines of a file; their bytes joined are the file."""
    return [read(raw) for raw in _LINE.findall(data)]


def write(value: Value) -> ScriptLine:
    """Returns a line as a client writes it: compact, UTF-8, ended by a newline."""
    return ScriptLine(msgspec.json.encode(value) + b"\n", value)


def at(value: Any, *path: str) -> Any:
    """Returns the value at a path of keys; None if there is none."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def text_at(value: Any, *path: str) -> str:
    """Returns the text at a path of keys; empty if there is none."""
    found = at(value, *path)
    return found if isinstance(found, str) else ""


def blocks(line: ScriptLine) -> list[Value]:
    """Returns the content blocks of a `user` or `assistant` line."""
    content = at(line.value, "message", "content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def calls(line: ScriptLine) -> list[str]:
    """Returns the ids of the tool calls of an `assistant` line."""
    if line.kind != "assistant":
        return []
    found = [text_at(block, "id") for block in blocks(line) if block.get("type") == "tool_use"]
    return [call for call in found if call]


def results(line: ScriptLine) -> list[str]:
    """Returns the ids of the calls whose results are in a `user` line."""
    if line.kind != "user":
        return []
    found = [text_at(block, "tool_use_id") for block in blocks(line) if block.get("type") == "tool_result"]
    return [call for call in found if call]


def message_text(value: Value) -> str:
    """Returns the text of a message: a string, or its text blocks joined."""
    content = at(value, "message", "content")
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(text_at(block, "text") for block in content if at(block, "type") == "text")
