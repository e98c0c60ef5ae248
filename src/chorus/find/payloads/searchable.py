"""What of a content block or of a tool's result can be searched for."""

from msgspec import Struct

from chorus.core.conversation import items
from chorus.core.records.model import blocks
from chorus.find.payloads import texts


class Said(Struct, gc=False):
    """What is searched for in a part, as long as it is at hand."""

    text: str
    kind: str = ""
    """`image` or `thinking`, where it is one."""
    files: tuple[str, ...] = ()


def said_in_block(block: blocks.Block) -> Said:
    """What is searched for in a content block."""
    body = texts.body_of_block(block) if block.type not in ("text", "thinking", "image") else None
    kind = block.type if block.type in ("image", "thinking") else ""
    files = texts.files_of_value(body) if block.type == "tool_use" else ()
    return Said(texts.seen(texts.text_of_block(block, body)), kind, files)


def said_in_result(result: items.ToolResult, whole: str = "") -> Said:
    """What is searched for in what a tool gave back; `whole` is its output where the record only refers to it."""
    body = texts.body_of_result(result)
    text = texts.text_of_result(body)
    if whole:
        text = f"{text}\n{texts.text_of_result(whole)}"
    return Said(texts.seen(text), "image" if texts.has_image(body) else "")
