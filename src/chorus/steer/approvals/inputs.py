"""The input of a tool as it is judged: its texts, and the same JSON with every text made visible. Pure."""

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Raw

from chorus.core.records.scan import MAX_DEPTH, nests_deeper
from chorus.steer.approvals.visible_text import seen

_TEXT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')
"""A text of valid JSON, quotes included."""
_REFUSALS = (msgspec.DecodeError, UnicodeError, RecursionError)


def fields(text: str) -> dict[str, Any]:
    """The fields of an input, decoded; none where it is not an object that can be read."""
    try:
        return _fields.decode(text)
    except _REFUSALS:
        return {}


def texts(text: str) -> Iterator[str]:
    """Every text in the JSON, names of fields included."""
    return (_decoded(found.group()) for found in _TEXT.finditer(text))


def visible(text: str) -> Raw:
    """The same JSON with every text as a person must see it; numbers, order and repeated names are as they were."""
    return Raw(_TEXT.sub(lambda found: json.dumps(seen(_decoded(found.group())), ensure_ascii=False), text).encode())


def has_repeated_names(text: str) -> bool:
    """Whether an object in it names a field twice: readers may then differ in which one counts.

    So may they where it nests deeper than some of them go.
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
