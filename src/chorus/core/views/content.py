"""Converts content blocks of messages and tool results to view blocks."""

import json
import re

import msgspec
from msgspec import Raw

from chorus.core.records.model import blocks as wire
from chorus.core.records.model.base import ABSENT, is_present
from chorus.core.records.scan import nests_deeper
from chorus.core.views.blocks import Block, Image, Json, Note, Prose, Thinking
from chorus.core.views.safe import replace_surrogates

_content = msgspec.json.Decoder(str | list[wire.Block])
_DECODE_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_MAX_DEPTH = 32
"""Deeper JSON is not indented: indentation would make it many times as long, and nobody reads it."""
_ERROR_TAGS = re.compile(r"</?tool_use_error>")
_NO_TEXT = "the record contains only the signature"
_REDACTED = "redacted: only the model can read it"


def view_block(block: wire.Block) -> Block | None:
    """Returns the view block for a content block other than a tool call or result; None if there is nothing to show."""
    match block.type:
        case "text":
            return Prose(markdown=block.text) if block.text and block.text.strip() else None
        case "thinking":
            text = (block.thinking or "").strip()
            return Thinking(text=text, reason=None if text else _NO_TEXT)
        case "redacted_thinking":
            return Thinking(text="", reason=_REDACTED)
        case "image" | "document":
            return picture(block)
        case "tool_reference":
            return Note(text=f"tool found: {block.tool_name or '?'}")
        case _:
            return Json(text=_indented_block(block), title=block.type or "block without a type", is_bulk=True)


def picture(block: wire.Block) -> Image:
    """Returns the facts about an image or document."""
    source = block.source or wire.Source()
    kind = source.media_type or block.type or "image"
    if source.data is not None:
        return Image(media_type=kind, size_bytes=decoded_size(source.data), source="inline")
    return Image(media_type=kind, source=source.url or source.file_id or source.type or "")


def decoded_size(base64: str) -> int:
    """Returns how many bytes a base64 text decodes to."""
    return max(0, len(base64) * 3 // 4 - base64[-2:].count("="))


def parts_of(content: Raw) -> list[wire.Block]:
    """Returns the content of a tool result as a list of blocks. Content of an unknown form becomes one text block."""
    if not is_present(content):
        return []
    try:
        found = _content.decode(content)
    except _DECODE_ERRORS:
        found = _repaired(bytes(content))
    return [wire.Block(type="text", text=found)] if isinstance(found, str) else found


def _repaired(data: bytes) -> str | list[wire.Block]:
    """Decodes content that is valid JSON but that msgspec rejects. Lone surrogates become U+FFFD."""
    try:
        return _content.decode(replace_surrogates(json.dumps(json.loads(data), ensure_ascii=False)))
    except (*_DECODE_ERRORS, ValueError):
        return data.decode("utf-8", "replace")


def text_of(parts: list[wire.Block]) -> str:
    """Returns the text of a tool result, without the tags that the client puts around its own errors."""
    return _ERROR_TAGS.sub("", "\n".join(part.text for part in parts if part.text)).strip("\n")


def indented(data: bytes | str) -> str | None:
    """Returns JSON with line breaks and indentation and unchanged values; None if it is no JSON or nests too deeply."""
    raw = replace_surrogates(data).encode() if isinstance(data, str) else data
    if nests_deeper(raw, _MAX_DEPTH):
        return None
    try:
        return msgspec.json.format(raw, indent=2).decode("utf-8", "replace")
    except _DECODE_ERRORS:
        return None


def json_of(raw: Raw, title: str | None = None, *, is_bulk: bool = False) -> Json:
    """Returns a JSON block for any bytes; bytes that are no JSON are shown as text."""
    data = bytes(raw)
    return Json(text=indented(data) or data.decode("utf-8", "replace"), title=title, is_bulk=is_bulk)


def _indented_block(block: wire.Block) -> str:
    fields = {
        name: value
        for name in block.__struct_fields__
        if (value := getattr(block, name)) is not None and value != ABSENT
    }
    try:
        data = msgspec.json.encode(fields)
    except (*_DECODE_ERRORS, UnicodeEncodeError, msgspec.EncodeError):
        return block.type
    return indented(data) or data.decode("utf-8", "replace")
