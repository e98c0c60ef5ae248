"""A conversation that is open for reading, with a sketch of each of its entries."""

import threading
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import TypeVar

from chorus.core.conversation.items import MAIN, Order
from chorus.core.views.conversation_facts import agents_without_call
from chorus.find.costs.conversation_costs import Costs
from chorus.find.index.port import Index
from chorus.find.index.rows import ConversationRow, Entry
from chorus.find.payloads.loader import Loader
from chorus.find.payloads.moved_lines import Elsewhere
from chorus.keep.vault.port import Vault
from chorus.show.transcripts import merged_walk, tail
from chorus.show.transcripts.branching import Branching
from chorus.show.transcripts.gathering import entries_at, key_in_index, read_ranges
from chorus.show.transcripts.keys import RowKey, at_the_end, key_of, order_of, place_of
from chorus.show.transcripts.links import Links
from chorus.show.transcripts.sketch import AGENT, FAILURE, MESSAGE, MODE, SHOWN, WORDS, Sketch, key_of_sketch
from chorus.show.transcripts.sketch_list import SketchList, Thread

_MAX_NOTED = 1_000
_MAX_FRESH = 500
_Noted = TypeVar("_Noted")


class OpenTranscript:
    """The sketches of all entries of a conversation. Hold `lock` during several calls that must be consistent.

    It has no reference to an index: an index belongs to one thread, but an open transcript does not.
    """

    def __init__(
        self, vault: Vault, costs: Costs, row: ConversationRow, index: Index, *, last: int | None = None
    ) -> None:
        """With `last`, only about that many of the last entries of a longer conversation are loaded (see `tail`)."""
        self.vault = vault
        self.costs = costs
        self.row = row
        self.name = row.name
        self.epoch = ""
        self.seq = 0
        """The position in the change feed up to which changes are applied."""
        self.lock = threading.RLock()
        self.words: dict[str, str] = {}
        """Caches the first words of entries that were requested."""
        self._list = SketchList(row.id + "/")
        loaded = tail.entries(index, row, last) if last is not None else None
        self.begins_at = loaded[0].order if loaded else None
        """The order key of the first loaded entry; None if all entries are loaded."""
        self._list.fill(index.all_entries(row.name) if loaded is None else loaded)
        self._reaching_back: OrderedDict[str, None] = OrderedDict()
        """Changed entries whose rows may depend on entries that are not loaded."""
        self._inherited_reaching_back: OrderedDict[str, None] = OrderedDict()
        """The same for the transcript that this one replaced."""
        self._elsewhere = Elsewhere(vault)
        self._separate_agents: tuple[int, list[Sketch]] | None = None
        self._hidden: tuple[tuple[str, ...], frozenset[str]] | None = None
        self._affecting_others: OrderedDict[str, None] = OrderedDict()
        self._previous_threads: OrderedDict[str, str] = OrderedDict()
        self._fresh: dict[str, Entry] = {}
        """Entries from the last update: the code that renders changed rows reads these next, once."""

    def update(self, index: Index, row: ConversationRow, changed: dict[str, Order]) -> None:
        """Reads the changed entries again; `changed` maps their ids to their current or previous order keys."""
        found = {entry.id: entry for entry in entries_at(index, self.name, set(changed.values()))}
        with self.lock:
            self.row = row
            self._fresh = found if len(found) <= _MAX_FRESH else {}
            self._note_tail(found, changed)
            for item_id, order in changed.items():
                self.words.pop(item_id, None)
                known = self.sketches.get(item_id)
                entry = found.get(item_id)
                if entry is not None:
                    self._put(entry)
                elif known is not None and key_in_index(self._list, known)[0] == order:
                    self._has_changed(known)
                    if self._list.remove(known) or any(self.failures_beside(known)):
                        _note(self._affecting_others, item_id, None)

    def reopened(self, index: Index, changed: dict[str, Order], last: int | None = None) -> "OpenTranscript":
        """Returns the same transcript with more or fewer loaded entries, and with the notes about recent changes."""
        new = OpenTranscript(self.vault, self.costs, self.row, index, last=last)
        new._affecting_others, new._previous_threads = self._affecting_others, self._previous_threads
        new._inherited_reaching_back = self._reaching_back
        new._note_tail({entry.id: entry for entry in entries_at(index, self.name, set(changed.values()))}, changed)
        return new

    def _note_tail(self, found: dict[str, Entry], changed: dict[str, Order]) -> None:
        if self.begins_at is not None:
            for item_id in tail.reaching_back(self._list, self.begins_at, found, changed):
                _note(self._reaching_back, item_id, None)

    @property
    def sketches(self) -> dict[str, Sketch]:
        """Sketches by the ids of entries."""
        return self._list.sketches

    @property
    def all(self) -> list[Sketch]:
        """Every entry, in order."""
        return self._list.all

    @property
    def size(self) -> int:
        """The number of loaded entries."""
        return len(self._list.all)

    @property
    def branching(self) -> Branching:
        return self._list.branching

    @property
    def links(self) -> Links:
        return self._list.links

    def loader(self) -> Loader:
        """Returns a loader for the payloads of its entries."""
        return Loader(self.vault, *self.name.split("/"), elsewhere=self._elsewhere)

    def thread(self, name: str) -> Thread | None:
        """Returns the entries that belong to one agent id."""
        return self._list.threads.get(name)

    def row_key(self, sketch: Sketch) -> RowKey:
        """Returns the key of an entry's row."""
        return key_of(order_of(sketch.place, self._list.prefix), sketch.id)

    def place(self, key: RowKey) -> merged_walk.Key:
        """Returns the position of a row key among the sketches."""
        return place_of(key[:5], self._list.prefix), key[5]

    def lists(self, thread: str, *, internal: bool = False) -> list[list[Sketch]]:
        """Returns the lists of entries that together are a thread."""
        found: list[list[Sketch]] = []
        for known in self._threads(thread):
            found += [known.rows, known.internal] if internal else [known.rows]
        return [*found, self.separate_agents()] if thread == MAIN else found

    def separate_agents(self) -> list[Sketch]:
        """Returns the non-empty sub-agents that no call started, as entries at the end of the main thread."""
        if self._separate_agents is None or self._separate_agents[0] != self.links.version:
            found = [
                Sketch(
                    agent.id,
                    place_of(at_the_end(agent.order), self._list.prefix),
                    MAIN,
                    AGENT,
                    SHOWN,
                    0,
                    own_time=None,
                )
                for agent in agents_without_call(self.links.best_agents(), self.links.started())
                if self.entries(agent.agent)
            ]
            self._separate_agents = self.links.version, sorted(found, key=key_of_sketch)
        return self._separate_agents[1]

    def entries(self, thread: str, call: str | None = None) -> int:
        """Returns how many entries of a thread may be rows. If several calls led to it, only those of `call` count."""
        known, stretch = self._threads(thread), self.links.stretch(thread, call)
        hidden_modes = sum(not self.is_row(mode) for each in known for mode in merged_walk.within(each.modes, stretch))
        return sum(len(merged_walk.within(each.rows, stretch)) for each in known) - hidden_modes

    def is_row(self, sketch: Sketch) -> bool:
        """Returns whether an entry that may be a row is one.

        A mode is a row only if it differs from the previous mode. Of a series of API errors, only the first is a row.
        """
        if sketch.flags & FAILURE:
            return not self._follows_failure(sketch)
        if sketch.kind is not MODE:
            return True
        modes = [each.modes for each in self._threads(sketch.thread)]
        before = next(merged_walk.preceding(modes, sketch.key), None)
        return before is not None and before.link != sketch.link

    def failures(self, first: Sketch) -> list[Sketch]:
        """Returns the series of API errors that starts with this one."""
        later = takewhile(lambda each: each.flags & FAILURE, self._rows_after(first))
        return [first, *later]

    def first_failure(self, sketch: Sketch) -> Sketch:
        """Returns the first error of the series of API errors that this one belongs to."""
        before = takewhile(lambda each: each.flags & FAILURE, self._rows_before(sketch))
        return next(iter(deque(before, maxlen=1)), sketch)

    def failures_beside(self, sketch: Sketch) -> Iterator[Sketch]:
        """Yields API errors directly before and after an entry: the entry decides whether they are one series."""
        for neighbour in (next(self._rows_before(sketch), None), next(self._rows_after(sketch), None)):
            if neighbour is not None and neighbour.flags & FAILURE:
                yield neighbour

    def is_hidden(self, sketch: Sketch, hidden: frozenset[str] | None) -> bool:
        """Returns whether an entry is on a hidden branch. An entry that is no message follows the message before it."""
        if hidden is None and not self.branching.abandoned:
            return False
        if sketch.thread != MAIN or sketch.kind is AGENT:
            return False
        message = self.message_before(sketch)
        if message is None:
            return False
        return self.branching.is_abandoned(message.id) if hidden is None else message.id in hidden

    def message_before(self, sketch: Sketch) -> Sketch | None:
        """Returns the message that an entry of the main thread belongs to: itself, or the message before it."""
        if sketch.kind is MESSAGE:
            return sketch
        earlier = merged_walk.preceding([self._list.threads[MAIN].rows], sketch.key)
        return next((each for each in earlier if each.kind is MESSAGE), None)

    def hidden(self, branches: tuple[str, ...]) -> frozenset[str] | None:
        """Returns the hidden messages for these branches; None without a selection, which hides abandoned messages."""
        if not branches:
            return None
        if self._hidden is None or self._hidden[0] != branches:
            self._hidden = branches, frozenset(self.branching.hidden(branches))
        return self._hidden[1]

    def last_said(self, turn: str) -> Sketch | None:
        """Returns the last message with text from the model before the end of a turn, in the same thread."""
        known = self.sketches.get(turn)
        if known is None:
            return None
        earlier = merged_walk.preceding(self._rows(known.thread), known.key)
        return next((each for each in earlier if each.flags & WORDS), None)

    def affects_others(self, item_id: str) -> bool:
        """Returns whether the last change of an item may have shown or hidden other rows."""
        return item_id in self._affecting_others or self.branching.continues(item_id) is not None

    @property
    def needs_all(self) -> bool:
        """Whether rows may depend on any entry of the conversation, so that all entries must be loaded."""
        return bool(self.row.sub_agents or self.branching.points or self._reaching_back)

    def reaches_back(self, item_id: str) -> bool:
        """Returns whether the row of a changed item may depend on entries that are not loaded."""
        return item_id in self._reaching_back or item_id in self._inherited_reaching_back

    def thread_before(self, item_id: str) -> str | None:
        """Returns the previous thread of an item that moved to another thread."""
        return self._previous_threads.get(item_id)

    def read(self, index: Index, wanted: Iterable[Sketch]) -> dict[str, Entry]:
        """Returns the entries of these sketches, if they still exist."""
        missing = {sketch.id: sketch for sketch in wanted}
        with self.lock:
            found = {item_id: self._fresh.pop(item_id) for item_id in missing.keys() & self._fresh.keys()}
            for item_id in found:
                del missing[item_id]
            found_in = read_ranges(self._list, missing.values(), self.begins_at)
        for after, length in found_in:
            for entry in index.page(self.name, after=after, limit=length):
                if missing.pop(entry.id, None) is not None:
                    found[entry.id] = entry
        if missing:
            # The index has them at another position, as it does for modes, or they moved in the meantime.
            orders = {key_in_index(self._list, sketch)[0] for sketch in missing.values()}
            found |= {entry.id: entry for entry in entries_at(index, self.name, orders) if entry.id in missing}
        return found

    def _put(self, entry: Entry) -> None:
        known, affects_others = self._list.put(entry)
        now = self.sketches[entry.id]
        self._has_changed(now)
        if known is None or known is now:
            if affects_others:
                _note(self._affecting_others, entry.id, None)
            return
        # Other entries are hidden together with the message before them, which may be a different one now.
        is_message = known.kind is MESSAGE and self.branching.abandoned
        if affects_others or is_message or any(self.failures_beside(known)):
            _note(self._affecting_others, entry.id, None)
        if known.thread != now.thread:
            _note(self._previous_threads, entry.id, known.thread)
            self._has_changed(known)

    def _has_changed(self, sketch: Sketch) -> None:
        """Clears cached results that depend on this entry."""
        if sketch.thread != MAIN:
            # Only an agent with entries is listed as a separate agent.
            self._separate_agents = None
        elif sketch.kind is MESSAGE:
            self._hidden = None

    def _follows_failure(self, sketch: Sketch) -> bool:
        before = next(self._rows_before(sketch), None)
        return before is not None and bool(before.flags & FAILURE)

    def _rows_before(self, sketch: Sketch) -> Iterator[Sketch]:
        """Yields the rows and API errors before an entry in its thread, nearest first; internal entries are skipped."""
        return filter(self._is_row_or_failure, merged_walk.preceding(self._rows(sketch.thread), sketch.key))

    def _rows_after(self, sketch: Sketch) -> Iterator[Sketch]:
        return filter(self._is_row_or_failure, merged_walk.following(self._rows(sketch.thread), sketch.key))

    def _is_row_or_failure(self, sketch: Sketch) -> bool:
        return sketch.kind is not MODE or self.is_row(sketch)

    def _rows(self, thread: str) -> list[list[Sketch]]:
        return [each.rows for each in self._threads(thread)]

    def _threads(self, name: str) -> list[Thread]:
        threads = self._list.threads
        return [threads[each] for each in self.links.names_of(name) if each in threads]


def _note(notes: OrderedDict[str, _Noted], item_id: str, note: _Noted) -> None:
    """Stores a note, and drops the oldest notes above the limit."""
    notes[item_id] = note
    notes.move_to_end(item_id)
    while len(notes) > _MAX_NOTED:
        notes.popitem(last=False)
