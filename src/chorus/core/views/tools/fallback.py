"""The view of any other tool: its input as JSON, and its result unchanged."""

import msgspec

from chorus.core.records.model.base import is_present
from chorus.core.views import content
from chorus.core.views.blocks import Block, Note
from chorus.core.views.tools.call import MadeCall, View

_fields = msgspec.json.Decoder(dict[str, msgspec.Raw])
_text = msgspec.json.Decoder(str)
_DECODE_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_TITLE_CHARS = 80


def fallback(call: MadeCall) -> View:
    """Shows the input as JSON, or as the title if it is a single short text."""
    if not is_present(call.raw):
        blocks: tuple[Block, ...] = () if call.name else (Note(text="the call was not recorded"),)
        return View("", blocks, call.results())
    fields = _decoded(call.raw)
    if fields is not None and not fields:
        return View("", (), call.results())
    if fields and len(fields) == 1:
        (name, value), *_ = fields.items()
        if (text := _short(value)) is not None:
            return View(f"{name}: {text}", (), call.results())
    return View("", (content.json_of(call.raw),), call.results())


def _decoded(raw: msgspec.Raw) -> dict[str, msgspec.Raw] | None:
    try:
        return _fields.decode(raw)
    except _DECODE_ERRORS:
        return None


def _short(raw: msgspec.Raw) -> str | None:
    try:
        text = _text.decode(raw)
    except _DECODE_ERRORS:
        return None
    return text if len(text) <= _TITLE_CHARS and "\n" not in text else None
