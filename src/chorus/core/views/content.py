"""Content blocks of messages and tool results, as the reader's shapes."""

import json
import re

import msgspec
from msgspec import Raw

from chorus.core.records.model import blocks as wire
from chorus.core.records.model.base import ABSENT, is_present
from chorus.core.records.scan import nests_deeper
from chorus.core.views.blocks import Block, Image, Json, Note, Prose, Thinking
from chorus.core.views.safe import whole

_content = msgspec.json.Decoder(str | list[wire.Block])
_REFUSALS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_DEEPEST = 32
"""Each level is indented: laid out, what nests deeper than anybody reads would be many times as long as it is."""
_ERROR_TAGS = re.compile(r"</?tool_use_error>")
_UNTOLD = "the record holds its signature only"
_REDACTED = "redacted: only the model can read it"


def shape(block: wire.Block) -> Block | None:
    """What a reader sees of a content block that is no tool call or result; None for one that says nothing."""
    match block.type:
        case "text":
            return Prose(markdown=block.text) if block.text and block.text.strip() else None
        case "thinking":
            text = (block.thinking or "").strip()
            return Thinking(text=text, reason=None if text else _UNTOLD)
        case "redacted_thinking":
            return Thinking(text="", reason=_REDACTED)
        case "image" | "document":
            return picture(block)
        case "tool_reference":
            return Note(text=f"tool found: {block.tool_name or '?'}")
        case _:
            return Json(text=_laid_out_block(block), title=block.type or "block without a type", is_bulk=True)


def picture(block: wire.Block) -> Image:
    """An image or document, by its facts."""
    source = block.source or wire.Source()
    kind = source.media_type or block.type or "image"
    if source.data is not None:
        return Image(media_type=kind, size_bytes=decoded_size(source.data), source="inline")
    return Image(media_type=kind, source=source.url or source.file_id or source.type or "")


def decoded_size(base64: str) -> int:
    """Bytes that base64 text stands for."""
    return max(0, len(base64) * 3 // 4 - base64[-2:].count("="))


def parts_of(content: Raw) -> list[wire.Block]:
    """The content of a tool result as blocks, whatever form it has; what fits no form is its text."""
    if not is_present(content):
        return []
    try:
        found = _content.decode(content)
    except _REFUSALS:
        found = _mended(bytes(content))
    return [wire.Block(type="text", text=found)] if isinstance(found, str) else found


def _mended(data: bytes) -> str | list[wire.Block]:
    """Content that JSON's grammar allows and the fast decoder does not: half characters are U+FFFD."""
    try:
        return _content.decode(whole(json.dumps(json.loads(data), ensure_ascii=False)))
    except (*_REFUSALS, ValueError):
        return data.decode("utf-8", "replace")


def text_of(parts: list[wire.Block]) -> str:
    """The text of a tool result, without the tags the client puts around its own errors."""
    return _ERROR_TAGS.sub("", "\n".join(part.text for part in parts if part.text)).strip("\n")


def laid_out(data: bytes | str) -> str | None:
    """JSON with line breaks and indentation, its values untouched; None for what is not JSON, or nests too deep."""
    raw = whole(data).encode() if isinstance(data, str) else data
    if nests_deeper(raw, _DEEPEST):
        return None
    try:
        return msgspec.json.format(raw, indent=2).decode("utf-8", "replace")
    except _REFUSALS:
        return None


def json_of(raw: Raw, title: str | None = None, *, is_bulk: bool = False) -> Json:
    """Any bytes as JSON where they are, as their text where not."""
    data = bytes(raw)
    return Json(text=laid_out(data) or data.decode("utf-8", "replace"), title=title, is_bulk=is_bulk)


def _laid_out_block(block: wire.Block) -> str:
    told = {
        name: value
        for name in block.__struct_fields__
        if (value := getattr(block, name)) is not None and value != ABSENT
    }
    try:
        data = msgspec.json.encode(told)
    except (*_REFUSALS, UnicodeEncodeError, msgspec.EncodeError):
        return block.type
    return laid_out(data) or data.decode("utf-8", "replace")
