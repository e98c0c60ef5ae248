"""A sketch is an entry without its facts and payloads: its kind, its position, and its links to other entries."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from chorus.core.conversation import items
from chorus.core.conversation.failures import is_failure
from chorus.core.conversation.items import Author
from chorus.core.conversation.tool_facts import kind_of
from chorus.find.index.rows import Entry, Note
from chorus.find.search.entry_kinds import is_failed
from chorus.show.transcripts.keys import SEPARATOR, mode_order, place_of

SHOWN, INTERNAL, MODEL, WORDS, PROMPT, ERROR, PLAN, FAILURE, ABANDONED = (1 << n for n in range(9))
"""Flags: may be a row · is a row only if internal records are requested · from the model · with text · typed by a
person · failed · a plan · an API error · on an abandoned branch."""
LISTED = SHOWN | INTERNAL
MESSAGE, CALL, TURN, NOTE, COMPACTION, QUEUED, PERMISSION, AGENT, MODE = (
    "message",
    "call",
    "turn",
    "note",
    "compaction",
    "queued",
    "permission",
    "agent",
    "mode",
)
AS_PLACED = ""
"""Means "the time at the beginning of `place`". Most entries have that time, so it is not stored twice."""


class Sketch(Struct, gc=False):
    """One entry. Every entry of an open conversation has a sketch in memory, so it is small."""

    id: str
    place: str
    thread: str
    kind: str
    flags: int
    number: int
    """The number of the entry in the index; search results use it."""
    link: str | None = None
    """For a message: the message that it continues. For a call: its message. For a permission: the call. For an API
    error: the stream that reports it."""
    calls: tuple[str, ...] = ()
    """For a message: its calls."""
    heads: tuple[str, ...] = ()
    """For a message: the messages that continue it, oldest first."""
    own_time: str | None = AS_PLACED
    """The time of the entry, if it differs from the time at the beginning of `place`; None if there is no time."""

    @property
    def time(self) -> str | None:
        """The time to show: the timestamp in the entry's records."""
        return self.place.partition(SEPARATOR)[0] if self.own_time is AS_PLACED else self.own_time

    @property
    def key(self) -> tuple[str, str]:
        """Sorts sketches in display order. It differs from the order of the index only for changes of mode."""
        return self.place, self.id

    @property
    def is_shown(self) -> bool:
        return bool(self.flags & SHOWN)


def key_of_sketch(sketch: Sketch) -> tuple[str, str]:
    return sketch.place, sketch.id


def sketch_of(entry: Entry, prefix: str, thread: str) -> Sketch:
    """Returns the sketch of an entry of the thread `thread`."""
    item = entry.item
    kind, of = _KINDS[type(item)]
    flags, link = of(item, entry)
    order = mode_order(item.order) if kind is MODE else item.order
    own_time = AS_PLACED if entry.time == order[0] else entry.time
    return Sketch(item.id, place_of(order, prefix), thread, kind, flags, entry.number, link, own_time=own_time)


def _message(item: items.Message, entry: Entry) -> tuple[int, str | None]:
    flags = SHOWN if entry.parts else 0
    if item.error is not None:
        flags |= SHOWN | ERROR
    if item.author is Author.MODEL:
        flags |= MODEL
        for part in entry.parts:
            if part.kind == "text":
                flags |= WORDS
                break
    elif item.author is Author.HUMAN:
        flags |= PROMPT
    return flags, None if item.agent else item.parent


def _call(item: items.Call, _: Entry) -> tuple[int, str | None]:
    flags = SHOWN if item.state is items.CallState.ORPHAN else 0
    return flags | (PLAN if kind_of(item.name) == "plan" else 0), item.message


def _note(item: Note, entry: Entry) -> tuple[int, str | None]:
    if item.is_internal:
        return INTERNAL, None
    shown = SHOWN | (ERROR if is_failed(entry) else 0)
    return (shown | FAILURE, item.order[2]) if is_failure(item.type, item.kind) else (shown, None)


def _turn(_: items.Turn, entry: Entry) -> tuple[int, str | None]:
    return SHOWN | (ERROR if is_failed(entry) else 0), None


_KINDS: dict[type, tuple[str, Callable[[Any, Entry], tuple[int, str | None]]]] = {
    items.Message: (MESSAGE, _message),
    items.Call: (CALL, _call),
    Note: (NOTE, _note),
    items.Turn: (TURN, _turn),
    items.Compaction: (COMPACTION, lambda _item, _entry: (SHOWN, None)),
    items.Queued: (QUEUED, lambda item, _: (SHOWN if item.is_shown else 0, None)),
    items.Permission: (PERMISSION, lambda item, _: (0, item.tool_use_id)),
    items.Agent: (AGENT, lambda item, _: (0, item.call)),
    items.ModeChange: (MODE, lambda item, _: (SHOWN, item.mode)),
}
"""Maps each item type to its kind and flags. A lookup is faster than a chain of `isinstance` checks per entry."""
