"""A conversation opened for reading: what is known of the whole of it."""

import threading
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import TypeVar

from chorus.core.conversation.items import MAIN, Order
from chorus.core.views.conversation_facts import apart
from chorus.find.costs.conversation_costs import Costs
from chorus.find.index.port import Index
from chorus.find.index.rows import ConversationRow, Entry
from chorus.find.payloads.loader import Loader
from chorus.find.payloads.moved_lines import MovedLines
from chorus.keep.vault.port import Vault
from chorus.show.transcripts import merged_walk, tail
from chorus.show.transcripts.branching import Branching
from chorus.show.transcripts.gathering import entries_at, key_in_index, runs
from chorus.show.transcripts.keys import RowKey, at_the_end, key_of, order_of, place_of
from chorus.show.transcripts.links import Links
from chorus.show.transcripts.sketch import AGENT, FAILURE, MESSAGE, MODE, SHOWN, WORDS, Sketch, key_of_sketch
from chorus.show.transcripts.sketch_list import Shelf, Thread

_MAX_NOTED = 1_000
_MAX_FRESH = 500
_Noted = TypeVar("_Noted")


class OpenTranscript:
    """All entries of a conversation by their sketches. Hold `lock` while asking several things that must agree.

    It holds no index: those belong to threads, and it does not.
    """

    def __init__(
        self, vault: Vault, costs: Costs, row: ConversationRow, index: Index, *, last: int | None = None
    ) -> None:
        """`last`: of a conversation that is longer only about so many entries are held, its last ones (see `tail`)."""
        self.vault = vault
        self.costs = costs
        self.row = row
        self.name = row.name
        self.epoch = ""
        self.seq = 0
        """The place in the feed up to which changes are known."""
        self.lock = threading.RLock()
        self.words: dict[str, str] = {}
        """How entries begin, as far as someone asked."""
        self._shelf = Shelf(row.id + "/")
        held = tail.entries(index, row, last) if last is not None else None
        self.begins_at = held[0].order if held else None
        """The first entry that is held, where there are others before it; None where all are."""
        self._shelf.fill(index.all_entries(row.name) if held is None else held)
        self._beyond: OrderedDict[str, None] = OrderedDict()
        """Entries that changed and may be told by what is not held."""
        self._told_again: OrderedDict[str, None] = OrderedDict()
        """Such entries of the transcript that this one took the place of."""
        self._moved_lines = MovedLines(vault)
        self._apart: tuple[int, list[Sketch]] | None = None
        self._hidden: tuple[tuple[str, ...], frozenset[str]] | None = None
        self._turned: OrderedDict[str, None] = OrderedDict()
        self._left: OrderedDict[str, str] = OrderedDict()
        self._fresh: dict[str, Entry] = {}
        """Entries as the last update read them: who tells what changed asks for these next, once."""

    def update(self, index: Index, row: ConversationRow, changed: dict[str, Order]) -> None:
        """Read the entries that changed, by their ids and where they are (or were)."""
        found = {entry.id: entry for entry in entries_at(index, self.name, set(changed.values()))}
        with self.lock:
            self.row = row
            self._fresh = found if len(found) <= _MAX_FRESH else {}
            self._note_beyond(found, changed)
            for item_id, order in changed.items():
                self.words.pop(item_id, None)
                known = self.sketches.get(item_id)
                entry = found.get(item_id)
                if entry is not None:
                    self._put(entry)
                elif known is not None and key_in_index(self._shelf, known)[0] == order:
                    self._has_changed(known)
                    if self._shelf.take_out(known) or any(self.failures_beside(known)):
                        _note(self._turned, item_id, None)

    def opened_again(self, index: Index, changed: dict[str, Order], last: int | None = None) -> "OpenTranscript":
        """The same with more or fewer of its entries, and with what is known of changes that were just taken in."""
        new = OpenTranscript(self.vault, self.costs, self.row, index, last=last)
        new._turned, new._left, new._told_again = self._turned, self._left, self._beyond
        new._note_beyond({entry.id: entry for entry in entries_at(index, self.name, set(changed.values()))}, changed)
        return new

    def _note_beyond(self, found: dict[str, Entry], changed: dict[str, Order]) -> None:
        if self.begins_at is not None:
            for item_id in tail.reaching_back(self._shelf, self.begins_at, found, changed):
                _note(self._beyond, item_id, None)

    @property
    def sketches(self) -> dict[str, Sketch]:
        """By the ids of entries."""
        return self._shelf.sketches

    @property
    def all(self) -> list[Sketch]:
        """Every entry, in order."""
        return self._shelf.all

    @property
    def size(self) -> int:
        """How many entries are held."""
        return len(self._shelf.all)

    @property
    def branching(self) -> Branching:
        return self._shelf.branching

    @property
    def links(self) -> Links:
        return self._shelf.links

    def loader(self) -> Loader:
        """Reads the payloads of its entries."""
        return Loader(self.vault, *self.name.split("/"), moved_lines=self._moved_lines)

    def thread(self, name: str) -> Thread | None:
        """The entries that bear the name of one agent."""
        return self._shelf.threads.get(name)

    def row_key(self, sketch: Sketch) -> RowKey:
        """The key of an entry's row."""
        return key_of(order_of(sketch.place, self._shelf.prefix), sketch.id)

    def place(self, key: RowKey) -> merged_walk.Key:
        """Where a key is among the sketches."""
        return place_of(key[:5], self._shelf.prefix), key[5]

    def lists(self, thread: str, *, internal: bool = False) -> list[list[Sketch]]:
        """The lists that make up a thread."""
        found: list[list[Sketch]] = []
        for known in self._threads(thread):
            found += [known.rows, known.internal] if internal else [known.rows]
        return [*found, self.apart()] if thread == MAIN else found

    def apart(self) -> list[Sketch]:
        """Sub-agents that no call started and that have something to show, as entries at the end of the main thread."""
        if self._apart is None or self._apart[0] != self.links.version:
            alone = [
                Sketch(
                    agent.id,
                    place_of(at_the_end(agent.order), self._shelf.prefix),
                    MAIN,
                    AGENT,
                    SHOWN,
                    0,
                    own_time=None,
                )
                for agent in apart(self.links.best_agents(), self.links.started())
                if self.entries(agent.agent)
            ]
            self._apart = self.links.version, sorted(alone, key=key_of_sketch)
        return self._apart[1]

    def entries(self, thread: str, call: str | None = None) -> int:
        """How many entries of a thread may be rows; where several calls led to it, in the stretch of this one."""
        known, stretch = self._threads(thread), self.links.stretch(thread, call)
        untold = sum(not self.is_told(mode) for each in known for mode in merged_walk.within(each.modes, stretch))
        return sum(len(merged_walk.within(each.rows, stretch)) for each in known) - untold

    def is_told(self, sketch: Sketch) -> bool:
        """Whether an entry that may be a row is one.

        A mode only where it is another than before; of errors of the API that follow each other, the first.
        """
        if sketch.flags & FAILURE:
            return not self._follows_failure(sketch)
        if sketch.kind is not MODE:
            return True
        modes = [each.modes for each in self._threads(sketch.thread)]
        before = next(merged_walk.preceding(modes, sketch.key), None)
        return before is not None and before.link != sketch.link

    def failures(self, first: Sketch) -> list[Sketch]:
        """The errors of the API that follow each other from this one on."""
        later = takewhile(lambda each: each.flags & FAILURE, self._told_after(first))
        return [first, *later]

    def first_failure(self, sketch: Sketch) -> Sketch:
        """The first of the errors of the API that this one follows with nothing between."""
        before = takewhile(lambda each: each.flags & FAILURE, self._told_before(sketch))
        return next(iter(deque(before, maxlen=1)), sketch)

    def failures_beside(self, sketch: Sketch) -> Iterator[Sketch]:
        """Errors of the API right before and after a place: what stands there decides whether one row tells of both."""
        for beside in (next(self._told_before(sketch), None), next(self._told_after(sketch), None)):
            if beside is not None and beside.flags & FAILURE:
                yield beside

    def is_hidden(self, sketch: Sketch, hidden: frozenset[str] | None) -> bool:
        """Whether an entry is on a branch that is not seen; what is no message goes with the one before it."""
        if hidden is None and not self.branching.abandoned:
            return False
        if sketch.thread != MAIN or sketch.kind is AGENT:
            return False
        message = self.message_before(sketch)
        if message is None:
            return False
        return self.branching.is_abandoned(message.id) if hidden is None else message.id in hidden

    def message_before(self, sketch: Sketch) -> Sketch | None:
        """The message of the main thread that an entry of it belongs to: itself, or the one before it."""
        if sketch.kind is MESSAGE:
            return sketch
        earlier = merged_walk.preceding([self._shelf.threads[MAIN].rows], sketch.key)
        return next((each for each in earlier if each.kind is MESSAGE), None)

    def hidden(self, branches: tuple[str, ...]) -> frozenset[str] | None:
        """The messages that who chose these heads does not see; None for those that the conversation left."""
        if not branches:
            return None
        if self._hidden is None or self._hidden[0] != branches:
            self._hidden = branches, frozenset(self.branching.hidden(branches))
        return self._hidden[1]

    def last_said(self, turn: str) -> Sketch | None:
        """The last message with words of the model before a turn, in the same thread."""
        known = self.sketches.get(turn)
        if known is None:
            return None
        earlier = merged_walk.preceding(self._rows(known.thread), known.key)
        return next((each for each in earlier if each.flags & WORDS), None)

    def has_turned(self, item_id: str) -> bool:
        """Whether a change of it made, or may have made, other messages appear or disappear."""
        return item_id in self._turned or self.branching.continues(item_id) is not None

    @property
    def needs_all(self) -> bool:
        """Whether what its rows show may depend on any entry, wherever it stands."""
        return bool(self.row.sub_agents or self.branching.points or self._beyond)

    def reaches_back(self, item_id: str) -> bool:
        """Whether what a change of it shows may depend on entries that are not held."""
        return item_id in self._beyond or item_id in self._told_again

    def thread_before(self, item_id: str) -> str | None:
        """The thread that an item was in before it was known to belong to another."""
        return self._left.get(item_id)

    def read(self, index: Index, wanted: Iterable[Sketch]) -> dict[str, Entry]:
        """The entries of these sketches, as far as there still are such."""
        missing = {sketch.id: sketch for sketch in wanted}
        with self.lock:
            found = {item_id: self._fresh.pop(item_id) for item_id in missing.keys() & self._fresh.keys()}
            for item_id in found:
                del missing[item_id]
            found_in = runs(self._shelf, missing.values(), self.begins_at)
        for after, length in found_in:
            for entry in index.page(self.name, after=after, limit=length):
                if missing.pop(entry.id, None) is not None:
                    found[entry.id] = entry
        if missing:
            # The index has them elsewhere, as it has modes, or they moved meanwhile.
            orders = {key_in_index(self._shelf, sketch)[0] for sketch in missing.values()}
            found |= {entry.id: entry for entry in entries_at(index, self.name, orders) if entry.id in missing}
        return found

    def _put(self, entry: Entry) -> None:
        known, has_turned = self._shelf.put(entry)
        now = self.sketches[entry.id]
        self._has_changed(now)
        if known is None or known is now:
            if has_turned:
                _note(self._turned, entry.id, None)
            return
        # What is no message is seen or not with the message before it, which may be another one now.
        is_message = known.kind is MESSAGE and self.branching.abandoned
        if has_turned or is_message or any(self.failures_beside(known)):
            _note(self._turned, entry.id, None)
        if known.thread != now.thread:
            _note(self._left, entry.id, known.thread)
            self._has_changed(known)

    def _has_changed(self, sketch: Sketch) -> None:
        """Forget what was found out before."""
        if sketch.thread != MAIN:
            # Whether an agent has anything to show decides whether it is apart.
            self._apart = None
        elif sketch.kind is MESSAGE:
            self._hidden = None

    def _follows_failure(self, sketch: Sketch) -> bool:
        before = next(self._told_before(sketch), None)
        return before is not None and bool(before.flags & FAILURE)

    def _told_before(self, sketch: Sketch) -> Iterator[Sketch]:
        """What stands before an entry in its thread, the nearest first: what is internal, or no row, is passed over."""
        return filter(self._has_row, merged_walk.preceding(self._rows(sketch.thread), sketch.key))

    def _told_after(self, sketch: Sketch) -> Iterator[Sketch]:
        return filter(self._has_row, merged_walk.following(self._rows(sketch.thread), sketch.key))

    def _has_row(self, sketch: Sketch) -> bool:
        return sketch.kind is not MODE or self.is_told(sketch)

    def _rows(self, thread: str) -> list[list[Sketch]]:
        return [each.rows for each in self._threads(thread)]

    def _threads(self, name: str) -> list[Thread]:
        threads = self._shelf.threads
        return [threads[each] for each in self.links.names_of(name) if each in threads]


def _note(notes: OrderedDict[str, _Noted], item_id: str, note: _Noted) -> None:
    """Keep a note, and forget the oldest of many."""
    notes[item_id] = note
    notes.move_to_end(item_id)
    while len(notes) > _MAX_NOTED:
        notes.popitem(last=False)
