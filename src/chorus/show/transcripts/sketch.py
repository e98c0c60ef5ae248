"""An entry without its facts and payloads: what it is, where it is, and what it belongs to."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from chorus.core.conversation import items
from chorus.core.conversation.failures import is_failure
from chorus.core.conversation.items import Author
from chorus.find.index.rows import Entry, Note
from chorus.find.search.entry_kinds import is_failed
from chorus.show.transcripts.keys import SEPARATOR, mode_order, place_of

SHOWN, INTERNAL, MODEL, WORDS, PROMPT, ERROR, PLAN, FAILURE, ABANDONED = (1 << n for n in range(9))
"""Flags: may be a row · only for who asks for internal records · said by the model · with words · typed by a person ·
went wrong · a plan · an error of the API · on a branch that was left."""
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
"""Stands for the time that an entry's place begins with: most have that one, and it need not be held twice."""
_PLANS = frozenset({"ExitPlanMode", "exit_plan_mode"})


class Sketch(Struct, gc=False):
    """One entry. There is one for every entry of an open conversation, so it is small."""

    id: str
    place: str
    thread: str
    kind: str
    flags: int
    number: int
    """Its number in the index, by which a search names it."""
    link: str | None = None
    """Of a message, the one it continues; of a call, the message it stands in; of a permission, the call; of an
    error of the API, the stream that tells of it."""
    calls: tuple[str, ...] = ()
    """Of a message: the calls made in it."""
    heads: tuple[str, ...] = ()
    """Of a message: those that continue it, oldest first."""
    own_time: str | None = AS_PLACED
    """Its own time, where it differs from the time that its place begins with; None when it has none."""

    @property
    def time(self) -> str | None:
        """When it was, as its own records say: the time to show."""
        return self.place.partition(SEPARATOR)[0] if self.own_time is AS_PLACED else self.own_time

    @property
    def key(self) -> tuple[str, str]:
        """Sorts sketches as they are read: as the index sorts entries, but for changes of mode."""
        return self.place, self.id

    @property
    def is_shown(self) -> bool:
        return bool(self.flags & SHOWN)


def key_of_sketch(sketch: Sketch) -> tuple[str, str]:
    return sketch.place, sketch.id


def sketch_of(entry: Entry, prefix: str, thread: str) -> Sketch:
    """The sketch of an entry, whose thread's name is `thread`."""
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
    return flags | (PLAN if item.name in _PLANS else 0), item.message


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
"""What each item is to a reader. By its type: a chain of questions is asked for every entry."""
