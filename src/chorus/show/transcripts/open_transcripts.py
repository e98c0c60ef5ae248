"""The conversations that are being read: opened once, then kept up to date by one look at the index's feed for all."""

import threading
from collections import OrderedDict

from chorus.core.conversation.items import Order
from chorus.find.costs.conversation_costs import Costs
from chorus.find.index.port import Index
from chorus.keep.vault.port import Vault
from chorus.show.transcripts.transcript import OpenTranscript as OpenTranscript

_MAX_ENTRIES = 200_000
"""Entries of open conversations that are held, however many conversations that are."""
_MAX_OPEN = 200
_MAX_WAITING, _MAX_WAITING_TAIL = 2_000, 5_000
"""More changes than these are not read one by one: the conversation is read anew."""


class _Held:
    """An open conversation, and what changed in it since it was last asked for."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.transcript: OpenTranscript | None = None
        self.waiting: dict[str, Order] | None = None
        """None: it has to be read anew."""
        self.is_stale = True


class OpenTranscripts:
    """Any thread may ask, with an index of its own; the least recently asked for is let go of first."""

    def __init__(
        self,
        vault: Vault,
        costs: Costs,
        *,
        most: int = _MAX_OPEN,
        most_entries: int = _MAX_ENTRIES,
        last: int | None = None,
    ) -> None:
        """`last`: of long conversations hold only about so many entries, for who tells what is new in them."""
        self._vault = vault
        self._costs = costs
        self._most = most
        self._most_entries = most_entries
        self._last = last
        self._lock = threading.Lock()
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self._epoch = ""
        self._seq = 0

    def of(self, index: Index, name: str) -> OpenTranscript | None:
        """The conversation of this name as the index has it now; None when there is none."""
        with self._lock:
            self._follow(index)
            epoch, seq = self._epoch, self._seq
            held = self._held.setdefault(name, _Held())
            self._held.move_to_end(name)
            self._make_room()
        with held.lock:
            try:
                found = self._brought_up(held, index, name, epoch, seq)
            except BaseException:
                # What it was to be told is not known any more.
                with self._lock:
                    held.waiting, held.is_stale = None, True
                raise
        if found is None:
            with self._lock:
                self._held.pop(name, None)
        return found

    def _make_room(self) -> None:
        """Let go of conversations until those that are left take no more than they may."""
        sizes = {name: held.transcript.size for name, held in self._held.items() if held.transcript is not None}
        total = sum(sizes.values())
        while len(self._held) > 1 and (len(self._held) > self._most or total > self._most_entries):
            name, _ = self._held.popitem(last=False)
            total -= sizes.get(name, 0)

    def _follow(self, index: Index) -> None:
        """Note what changed since the last look."""
        while True:
            feed = index.feed(self._epoch, self._seq)
            if feed.is_broken:
                self._held.clear()
            for event in feed.events:
                held = self._held.get(event.conversation)
                if held is None:
                    continue
                held.is_stale = True
                if event.item is None or event.order is None:
                    held.waiting = None
                elif held.waiting is not None:
                    held.waiting[event.item] = event.order
                    if len(held.waiting) > (_MAX_WAITING if self._last is None else _MAX_WAITING_TAIL):
                        held.waiting = None
            is_done = feed.is_broken or not feed.events
            self._epoch, self._seq = feed.epoch, feed.seq
            if is_done:
                return

    def _brought_up(self, held: _Held, index: Index, name: str, epoch: str, seq: int) -> OpenTranscript | None:
        with self._lock:
            waiting, held.waiting = held.waiting, {}
            is_stale, held.is_stale = held.is_stale, False
        transcript = held.transcript
        if is_stale or transcript is None:
            row = index.conversation(name)
            if row is None:
                return None
            if transcript is None or waiting is None:
                transcript = OpenTranscript(self._vault, self._costs, row, index)
            else:
                transcript.update(index, row, waiting)
            transcript = self._cut(transcript, index, waiting or {})
            held.transcript = transcript
        # Another thread may have been here meanwhile with a later look.
        is_later = transcript.epoch != epoch or transcript.seq < seq
        transcript.epoch, transcript.seq = (epoch, seq) if is_later else (transcript.epoch, transcript.seq)
        return transcript

    def _cut(self, transcript: OpenTranscript, index: Index, changed: dict[str, Order]) -> OpenTranscript:
        """What is to be held: the end of it where that is enough, all of it where it is not."""
        if self._last is None:
            return transcript
        if transcript.needs_all:
            return transcript.opened_again(index, changed) if transcript.begins_at is not None else transcript
        is_long = transcript.size > 2 * self._last
        return transcript.opened_again(index, changed, self._last) if is_long else transcript
