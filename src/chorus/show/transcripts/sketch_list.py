"""The sketches of a conversation's entries, kept in order as entries come, change and go."""

from collections.abc import Iterable

from msgspec import Struct, field

from chorus.core.conversation.items import MAIN
from chorus.find.index.rows import Entry
from chorus.show.transcripts import merged_walk
from chorus.show.transcripts.branching import Branching
from chorus.show.transcripts.links import Links
from chorus.show.transcripts.sketch import (
    ABANDONED,
    CALL,
    LISTED,
    MESSAGE,
    MODE,
    SHOWN,
    Sketch,
    key_of_sketch,
    sketch_of,
)


class Thread(Struct):
    """The entries of one agent that may be rows."""

    rows: list[Sketch] = field(default_factory=list)
    internal: list[Sketch] = field(default_factory=list)
    modes: list[Sketch] = field(default_factory=list)


class Shelf:
    """All entries of a conversation. To put one costs the same however many there are."""

    def __init__(self, prefix: str) -> None:
        """`prefix` is what the names of the conversation's streams begin with."""
        self.prefix = prefix
        self.sketches: dict[str, Sketch] = {}
        self.all: list[Sketch] = []
        self.threads: dict[str, Thread] = {MAIN: Thread()}
        self.branching = Branching(self.sketches)
        self.links = Links(self.sketches)
        self._waiting: dict[str, tuple[str, ...]] = {}
        """Calls by the message they stand in, while that is not known."""
        self._names: dict[str, str] = {MAIN: MAIN}

    def fill(self, entries: Iterable[Entry]) -> None:
        """Take in all entries, in order, where there are none yet."""
        sketches, everything, messages = self.sketches, self.all, list[Sketch]()
        # Gathered first: a message may have thousands of calls, and a tuple grown by each would be copied as often.
        made_in: dict[str, list[str]] = {}
        has_modes = False
        for entry in entries:
            item = entry.item
            name = self._names.setdefault(item.agent, item.agent)
            sketch = sketch_of(entry, self.prefix, name)
            sketches[sketch.id] = sketch
            everything.append(sketch)
            kind = sketch.kind
            if sketch.flags & LISTED:
                thread = self._thread(name)
                (thread.rows if sketch.flags & SHOWN else thread.internal).append(sketch)
                if kind is MODE:
                    thread.modes.append(sketch)
                    has_modes = True
            if kind is MESSAGE:
                if name == MAIN:
                    messages.append(sketch)
            else:
                if kind is CALL and sketch.link is not None:
                    made_in.setdefault(sketch.link, []).append(sketch.id)
                self.links.learn(item, sketch)
        for message, calls in made_in.items():
            if (known := sketches.get(message)) is not None:
                known.calls = tuple(calls)
            else:
                self._waiting[message] = tuple(calls)
        if has_modes:
            # These stand before what the index has before them.
            for each in (everything, *(thread.rows for thread in self.threads.values())):
                each.sort(key=key_of_sketch)
        self.branching.add_all(messages)

    def put(self, entry: Entry) -> tuple[Sketch | None, bool]:
        """Take in an entry as it is now; gives what was known of it, and whether other messages turned by it."""
        item = entry.item
        known = self.sketches.get(item.id)
        sketch = sketch_of(entry, self.prefix, self._names.setdefault(item.agent, item.agent))
        has_turned = False
        if known is not None and _is_alike(known, sketch):
            known.flags = sketch.flags | (known.flags & ABANDONED)
            known.number = sketch.number
            self.links.learn(item, known)
            return known, False
        if known is not None:
            sketch.calls, sketch.heads = known.calls, known.heads
            has_turned = self.take_out(known)
        has_turned = self._insert(sketch) or has_turned
        self.links.learn(item, sketch)
        return known, has_turned

    def take_out(self, sketch: Sketch) -> bool:
        """Let go of an entry; tells whether other messages turned by it."""
        has_turned = False
        if sketch.kind == MESSAGE:
            if sketch.calls:
                self._waiting[sketch.id] = sketch.calls
            if sketch.thread == MAIN:
                has_turned = bool(self.branching.remove(sketch))
        elif sketch.kind == CALL and sketch.link is not None:
            self._unhang(sketch.link, sketch.id)
        self.links.forget(sketch)
        del self.sketches[sketch.id]
        merged_walk.take(self.all, sketch)
        if sketch.flags & LISTED:
            thread = self._thread(sketch.thread)
            merged_walk.take(thread.rows if sketch.flags & SHOWN else thread.internal, sketch)
            if sketch.kind == MODE:
                merged_walk.take(thread.modes, sketch)
        return has_turned

    def _insert(self, sketch: Sketch) -> bool:
        self.sketches[sketch.id] = sketch
        merged_walk.put(self.all, sketch)
        if sketch.flags & LISTED:
            thread = self._thread(sketch.thread)
            merged_walk.put(thread.rows if sketch.flags & SHOWN else thread.internal, sketch)
            if sketch.kind == MODE:
                merged_walk.put(thread.modes, sketch)
        if sketch.kind == CALL and sketch.link is not None:
            self._hang(sketch.link, sketch.id)
        elif sketch.kind == MESSAGE:
            sketch.calls = self._waiting.pop(sketch.id, sketch.calls)
            if sketch.thread == MAIN:
                return bool(self.branching.add(sketch))
        return False

    def _thread(self, name: str) -> Thread:
        known = self.threads.get(name)
        if known is None:
            known = self.threads[name] = Thread()
        return known

    def _hang(self, message: str, call: str) -> None:
        known = self.sketches.get(message)
        if known is None:
            self._waiting[message] = (*self._waiting.get(message, ()), call)
        elif call not in known.calls:
            known.calls = (*known.calls, call)

    def _unhang(self, message: str, call: str) -> None:
        known = self.sketches.get(message)
        if known is not None:
            known.calls = tuple(other for other in known.calls if other != call)
        elif message in self._waiting:
            self._waiting[message] = tuple(other for other in self._waiting[message] if other != call)


def _is_alike(known: Sketch, new: Sketch) -> bool:
    """Whether an entry stays where it is in every list."""
    return (
        known.place == new.place
        and known.thread == new.thread
        and known.kind == new.kind
        and known.flags & LISTED == new.flags & LISTED
        and known.link == new.link
    )
