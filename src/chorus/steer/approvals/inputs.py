"""Reads the input of a tool for a decision: its texts, and the same JSON with hidden characters made visible. Pure."""

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Raw

from chorus.core.records.scan import MAX_DEPTH, nests_deeper
from chorus.steer.approvals.visible_text import make_visible

_TEXT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')
"""A string of valid JSON, quotes included."""
_REFUSALS = (msgspec.DecodeError, UnicodeError, RecursionError)


def fields(text: str) -> dict[str, Any]:
    """Returns the decoded fields of an input; an empty dict if it is not a readable object."""
    try:
        return _fields.decode(text)
    except _REFUSALS:
        return {}


def texts(text: str) -> Iterator[str]:
    """Yields every string in the JSON, names of fields included."""
    return (_decoded(found.group()) for found in _TEXT.finditer(text))


def visible_json(text: str) -> Raw:
    """Returns the same JSON with hidden characters in every string made visible.

    Numbers, order and repeated names are kept.
    """
    return Raw(
        _TEXT.sub(lambda found: json.dumps(make_visible(_decoded(found.group())), ensure_ascii=False), text).encode()
    )


def has_repeated_names(text: str) -> bool:
    """Returns whether an object in the text names a field twice: parsers may then differ in which one counts.

    Also True if the text is nested deeper than some parsers can read.
    """
    if nests_deeper(text.encode("utf-8", "replace"), MAX_DEPTH):
        return True
    repeated = False

    def look(pairs: list[tuple[str, Any]]) -> None:
        nonlocal repeated
        repeated = repeated or len({name for name, _ in pairs}) < len(pairs)

    try:
        json.loads(text, object_pairs_hook=look)
    except (ValueError, RecursionError):
        return True
    return repeated


def _decoded(quoted: str) -> str:
    try:
        return json.loads(quoted, strict=False)
    except ValueError:
        return quoted


_fields = msgspec.json.Decoder(dict[str, Any])
