"""The text of items, for words to be found in and snippets to be cut from."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Raw

from chorus.core.conversation import items
from chorus.core.records.model import blocks
from chorus.core.records.model.base import ABSENT

MAX_CHARS = 1 << 20
"""Of one block or result; what follows is kept, and not searched."""
_PATHS = ("file_path", "notebook_path", "path", "filePath")
_DEEPEST = 40
_NUMBERED = re.compile(r"\n *[0-9]+→")
"""By the end of the line before it: that is found in half the time that any beginning of a line takes."""
_COUNTED = re.compile(r" *([0-9]{1,9})\t.*\n *([0-9]{1,9})\t")
_TABBED = re.compile(r"\n *[0-9]+\t")
_ESCAPE = re.compile("\x1b(?:\\[[0-?]*+[ -/]*+[@-~]|\\][^\x07\x1b]*+(?:\x07|\x1b\\\\))")
_FAILURES = (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError)


def text_of_block(block: blocks.Block, body: Any = None) -> str:
    """The words of a content block; of a tool call, whose input is decoded as `body`, what it was asked."""
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
    """The words of what a tool gave back, decoded as `body`, without the numbers in front of a file's lines.

    Nobody looks for those; a tenth of all words would be such numbers, and no phrase would go over the end of a line.
    """
    text = text_of_value(body)
    if "→" in text:
        text = _without(_NUMBERED, text)
    first = _COUNTED.match(text)
    return _without(_TABBED, text) if first and int(first[1]) + 1 == int(first[2]) else text


def _without(beginning: re.Pattern[str], text: str) -> str:
    """The text without what its lines begin with."""
    return beginning.sub("\n", f"\n{text}")[1:]


def body_of_block(block: blocks.Block) -> Any:
    """The decoded part of a block whose format is a tool's own; None where there is none, or it makes no sense."""
    return decoded(block.input) if block.input != ABSENT else decoded(block.content)


def body_of_result(result: items.ToolResult) -> Any:
    """What a tool gave back: the model's view of it, else the client's own."""
    return decoded(result.content) or decoded(result.structured)


def decoded(raw: Raw) -> Any:
    if raw == ABSENT:
        return None
    try:
        return msgspec.json.decode(raw)
    except _FAILURES:
        return None


def text_of_value(value: Any) -> str:
    """The strings and numbers in a JSON value, line by line, without its keys; images and their like left out."""
    text = value if isinstance(value, str) else "\n".join(_strings(value, 0))
    return text[:MAX_CHARS]


def seen(text: str) -> str:
    """A text without the colours of a terminal: these are not seen, and would be one word with what follows them."""
    return _ESCAPE.sub("", text) if "\x1b" in text else text


def files_of_value(value: Any) -> tuple[str, ...]:
    """The paths that a call's input names as such."""
    if not isinstance(value, dict):
        return ()
    return tuple(path for name in _PATHS if isinstance(path := value.get(name), str) and path)


def has_image(value: Any) -> bool:
    """Whether a tool's output holds an image."""
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
