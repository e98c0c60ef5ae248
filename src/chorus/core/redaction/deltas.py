"""Joins text that arrived in pieces: a secret may be split over the events of a stream."""

from collections.abc import Iterator

from msgspec import Struct

from chorus.core.records.model.stream import StreamEvent
from chorus.core.records.record import Record

FIELDS = ("text", "thinking", "partial_json")


class Fragment(Struct, frozen=True):
    """The text of one event: the number of its record in its source, and the text."""

    number: int
    text: str


class Cut(Struct, frozen=True):
    """A part of a fragment that is replaced."""

    start: int
    end: int
    shown: str


class Joined:
    """The fragments of the content blocks of one source, in order."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, int], list[Fragment]] = {}
        self._done: list[list[Fragment]] = []

    def add(self, number: int, record: Record) -> bool:
        """Takes a record, and returns whether it has a fragment."""
        value = record.value
        if not isinstance(value, StreamEvent) or value.event is None:
            return False
        event, owner = value.event, str(value.parent_tool_use_id or "")
        if event.type == "message_start":
            self._close(owner)
        elif event.type in ("content_block_start", "content_block_stop"):
            self._finish((owner, event.index or 0))
        text = fragment_of(record)
        if text is None:
            return False
        self._open.setdefault((owner, event.index or 0), []).append(Fragment(number, text))
        return True

    def texts(self) -> Iterator[list[Fragment]]:
        """Yields the fragments of every block that arrived in two or more of them."""
        yield from (each for each in (*self._done, *self._open.values()) if len(each) > 1)

    def _close(self, owner: str) -> None:
        for key in [key for key in self._open if key[0] == owner]:
            self._finish(key)

    def _finish(self, key: tuple[str, int]) -> None:
        if (found := self._open.pop(key, None)) is not None:
            self._done.append(found)


def fragment_of(record: Record) -> str | None:
    """Returns the piece of text that a record adds to a block; None if it adds none."""
    value = record.value
    delta = value.event.delta if isinstance(value, StreamEvent) and value.event is not None else None
    if delta is None:
        return None
    for name in FIELDS:
        text = getattr(delta, name)
        if isinstance(text, str) and text:
            return text
    return None


def divided(fragments: list[Fragment], spans: list[Cut]) -> dict[int, list[Cut]]:
    """Returns the parts of each fragment that spans of the joined text cover.

    What replaces a span stands in the fragment in which it begins. The spans are in order.
    """
    found: dict[int, list[Cut]] = {}
    at = first = 0
    for fragment in fragments:
        end = at + len(fragment.text)
        while first < len(spans) and spans[first].end <= at:
            first += 1
        number = first
        while number < len(spans) and spans[number].start < end:
            span = spans[number]
            shown = span.shown if span.start >= at else ""
            cut = Cut(max(span.start, at) - at, min(span.end, end) - at, shown)
            found.setdefault(fragment.number, []).append(cut)
            number += 1
        at = end
    return found
