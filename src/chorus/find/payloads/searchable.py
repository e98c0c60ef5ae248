"""The searchable text of a content block or of a tool's result."""

from msgspec import Struct

from chorus.core.conversation import items
from chorus.core.records.model import blocks
from chorus.find.payloads import texts


class Searchable(Struct, gc=False):
    """The searchable text of a part."""

    text: str
    kind: str = ""
    """`image` or `thinking`, if the part is one."""
    files: tuple[str, ...] = ()


def searchable_block(block: blocks.Block) -> Searchable:
    """Returns the searchable text of a content block."""
    body = texts.body_of_block(block) if block.type not in ("text", "thinking", "image") else None
    kind = block.type if block.type in ("image", "thinking") else ""
    files = texts.files_of_value(body) if block.type == "tool_use" else ()
    return Searchable(texts.seen(texts.text_of_block(block, body)), kind, files)


def searchable_result(result: items.ToolResult, whole: str = "") -> Searchable:
    """Returns the searchable text of a tool's result; `whole` is its output where the record only refers to a file."""
    body = texts.body_of_result(result)
    text = texts.text_of_result(body)
    if whole:
        text = f"{text}\n{texts.text_of_result(whole)}"
    return Searchable(texts.seen(text), "image" if texts.has_image(body) else "")
