"""The texts of items, for the word index and for snippets."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Raw

from chorus.core.conversation import items
from chorus.core.records.model import blocks
from chorus.core.records.model.base import ABSENT

MAX_CHARS = 1 << 20
"""The limit for one block or result; the rest is stored but not searchable."""
_PATHS = ("file_path", "notebook_path", "path", "filePath")
_DEEPEST = 40
_NUMBERED = re.compile(r"\n *[0-9]+→")
"""Anchored at the end of the previous line, which is found in half the time of any line start."""
_COUNTED = re.compile(r" *([0-9]{1,9})\t.*\n *([0-9]{1,9})\t")
_TABBED = re.compile(r"\n *[0-9]+\t")
_ESCAPE = re.compile("\x1b(?:\\[[0-?]*+[ -/]*+[@-~]|\\][^\x07\x1b]*+(?:\x07|\x1b\\\\))")
_FAILURES = (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError)


def text_of_block(block: blocks.Block, body: Any = None) -> str:
    """Returns the text of a content block; for a tool call, whose decoded input is `body`, its input."""
    match block.type:
        case "text":
            return (block.text or "")[:MAX_CHARS]
        case "thinking":
            return (block.thinking or "")[:MAX_CHARS]
        case "tool_use" | "server_tool_use" | "mcp_tool_use":
            return text_of_value(body)
        case "image" | "redacted_thinking":
            return ""
        case "document":
            return block.title or ""
        case _:
            return (block.text or "")[:MAX_CHARS] or text_of_value(body)


def text_of_result(body: Any) -> str:
    """Returns the text of a tool's result, decoded as `body`, without the numbers in front of a file's lines.

    Nobody searches for these numbers. They would be a tenth of all words, and no phrase would match across lines.
    """
    text = text_of_value(body)
    if "→" in text:
        text = _without(_NUMBERED, text)
    first = _COUNTED.match(text)
    return _without(_TABBED, text) if first and int(first[1]) + 1 == int(first[2]) else text


def _without(beginning: re.Pattern[str], text: str) -> str:
    """Returns the text without this beginning of its lines."""
    return beginning.sub("\n", f"\n{text}")[1:]


def body_of_block(block: blocks.Block) -> Any:
    """Decodes the part of a block that has a tool-specific format; None if there is none or it is invalid."""
    return decoded(block.input) if block.input != ABSENT else decoded(block.content)


def body_of_result(result: items.ToolResult) -> Any:
    """Decodes a tool's result: the version for the model, else that of the client."""
    return decoded(result.content) or decoded(result.structured)


def decoded(raw: Raw) -> Any:
    if raw == ABSENT:
        return None
    try:
        return msgspec.json.decode(raw)
    except _FAILURES:
        return None


def text_of_value(value: Any) -> str:
    """Returns the strings and numbers in a JSON value, one per line, without keys, images and encoded data."""
    text = value if isinstance(value, str) else "\n".join(_strings(value, 0))
    return text[:MAX_CHARS]


def seen(text: str) -> str:
    """Removes the colour codes of a terminal: they are invisible, and would form one word with what follows them."""
    return _ESCAPE.sub("", text) if "\x1b" in text else text


def files_of_value(value: Any) -> tuple[str, ...]:
    """Returns the paths in the path fields of a call's input."""
    if not isinstance(value, dict):
        return ()
    return tuple(path for name in _PATHS if isinstance(path := value.get(name), str) and path)


def has_image(value: Any) -> bool:
    """Whether a tool's output contains an image."""
    return isinstance(value, list) and any(isinstance(each, dict) and each.get("type") == "image" for each in value)


def _strings(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth > _DEEPEST:
        return
    elif isinstance(value, dict):
        if value.get("type") in ("image", "base64"):
            return
        for name, each in value.items():
            if name != "type":
                yield from _strings(each, depth + 1)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each, depth + 1)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield str(value)
