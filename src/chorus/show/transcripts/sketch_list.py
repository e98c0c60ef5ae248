"""The sketches of a conversation's entries, kept in order while entries are added, changed and removed."""

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
    """The entries of one agent that may be shown as rows."""

    rows: list[Sketch] = field(default_factory=list)
    internal: list[Sketch] = field(default_factory=list)
    modes: list[Sketch] = field(default_factory=list)


class SketchList:
    """All entries of a conversation. The cost of putting an entry at the end does not depend on their number."""

    def __init__(self, prefix: str) -> None:
        """`prefix` is the common beginning of the names of the conversation's streams."""
        self.prefix = prefix
        self.sketches: dict[str, Sketch] = {}
        self.all: list[Sketch] = []
        self.threads: dict[str, Thread] = {MAIN: Thread()}
        self.branching = Branching(self.sketches)
        self.links = Links(self.sketches)
        self._calls_of_unknown: dict[str, tuple[str, ...]] = {}
        """Maps a message that is not known yet to its calls."""
        self._names: dict[str, str] = {MAIN: MAIN}

    def fill(self, entries: Iterable[Entry]) -> None:
        """Adds all entries, in order, to an empty list."""
        sketches, everything, messages = self.sketches, self.all, list[Sketch]()
        # Collected first: a message may have thousands of calls, and extending a tuple copies it each time.
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
                self._calls_of_unknown[message] = tuple(calls)
        if has_modes:
            # Modes are shown before entries that precede them in the index.
            for each in (everything, *(thread.rows for thread in self.threads.values())):
                each.sort(key=key_of_sketch)
        self.branching.add_all(messages)

    def put(self, entry: Entry) -> tuple[Sketch | None, bool]:
        """Adds or replaces an entry; returns its old sketch, and whether other messages became abandoned or active."""
        item = entry.item
        known = self.sketches.get(item.id)
        sketch = sketch_of(entry, self.prefix, self._names.setdefault(item.agent, item.agent))
        affects_others = False
        if known is not None and _keeps_position(known, sketch):
            known.flags = sketch.flags | (known.flags & ABANDONED)
            known.number = sketch.number
            self.links.learn(item, known)
            return known, False
        if known is not None:
            sketch.calls, sketch.heads = known.calls, known.heads
            affects_others = self.remove(known)
        affects_others = self._insert(sketch) or affects_others
        self.links.learn(item, sketch)
        return known, affects_others

    def remove(self, sketch: Sketch) -> bool:
        """Removes an entry; returns whether other messages became abandoned or active by this."""
        affects_others = False
        if sketch.kind == MESSAGE:
            if sketch.calls:
                self._calls_of_unknown[sketch.id] = sketch.calls
            if sketch.thread == MAIN:
                affects_others = bool(self.branching.remove(sketch))
        elif sketch.kind == CALL and sketch.link is not None:
            self._detach_call(sketch.link, sketch.id)
        self.links.forget(sketch)
        del self.sketches[sketch.id]
        merged_walk.remove(self.all, sketch)
        if sketch.flags & LISTED:
            thread = self._thread(sketch.thread)
            merged_walk.remove(thread.rows if sketch.flags & SHOWN else thread.internal, sketch)
            if sketch.kind == MODE:
                merged_walk.remove(thread.modes, sketch)
        return affects_others

    def _insert(self, sketch: Sketch) -> bool:
        self.sketches[sketch.id] = sketch
        merged_walk.insert(self.all, sketch)
        if sketch.flags & LISTED:
            thread = self._thread(sketch.thread)
            merged_walk.insert(thread.rows if sketch.flags & SHOWN else thread.internal, sketch)
            if sketch.kind == MODE:
                merged_walk.insert(thread.modes, sketch)
        if sketch.kind == CALL and sketch.link is not None:
            self._attach_call(sketch.link, sketch.id)
        elif sketch.kind == MESSAGE:
            sketch.calls = self._calls_of_unknown.pop(sketch.id, sketch.calls)
            if sketch.thread == MAIN:
                return bool(self.branching.add(sketch))
        return False

    def _thread(self, name: str) -> Thread:
        known = self.threads.get(name)
        if known is None:
            known = self.threads[name] = Thread()
        return known

    def _attach_call(self, message: str, call: str) -> None:
        known = self.sketches.get(message)
        if known is None:
            self._calls_of_unknown[message] = (*self._calls_of_unknown.get(message, ()), call)
        elif call not in known.calls:
            known.calls = (*known.calls, call)

    def _detach_call(self, message: str, call: str) -> None:
        known = self.sketches.get(message)
        if known is not None:
            known.calls = tuple(other for other in known.calls if other != call)
        elif message in self._calls_of_unknown:
            self._calls_of_unknown[message] = tuple(other for other in self._calls_of_unknown[message] if other != call)


def _keeps_position(known: Sketch, new: Sketch) -> bool:
    """Returns whether an entry keeps its position in every list."""
    return (
        known.place == new.place
        and known.thread == new.thread
        and known.kind == new.kind
        and known.flags & LISTED == new.flags & LISTED
        and known.link == new.link
    )
