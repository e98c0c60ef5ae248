"""The open conversations: each is loaded once, and the change feed of the index then keeps all of them up to date."""

import threading
from collections import OrderedDict

from chorus.core.conversation.items import Order
from chorus.find.costs.conversation_costs import Costs
from chorus.find.index.port import Index
from chorus.keep.vault.port import Vault
from chorus.show.transcripts.transcript import OpenTranscript as OpenTranscript

_MAX_ENTRIES = 200_000
"""The maximum number of entries in memory, for all open conversations together."""
_MAX_OPEN = 200
_MAX_WAITING, _MAX_WAITING_TAIL = 2_000, 5_000
"""If more changes than this are pending, the conversation is loaded again instead."""


class _Slot:
    """An open conversation, and what changed in it since it was last requested."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.transcript: OpenTranscript | None = None
        self.waiting: dict[str, Order] | None = None
        """Changed items with their order keys; None if the conversation must be loaded again."""
        self.is_stale = True


class OpenTranscripts:
    """Usable from any thread with a separate index. The least recently used conversation is dropped first."""

    def __init__(
        self,
        vault: Vault,
        costs: Costs,
        *,
        most: int = _MAX_OPEN,
        most_entries: int = _MAX_ENTRIES,
        last: int | None = None,
    ) -> None:
        """With `last`, only about that many entries of a long conversation are loaded: enough to find changed rows."""
        self._vault = vault
        self._costs = costs
        self._most = most
        self._most_entries = most_entries
        self._last = last
        self._lock = threading.Lock()
        self._slots: OrderedDict[str, _Slot] = OrderedDict()
        self._epoch = ""
        self._seq = 0

    def of(self, index: Index, name: str) -> OpenTranscript | None:
        """Returns the current state of a conversation according to the index; None if there is no such conversation."""
        with self._lock:
            self._follow(index)
            epoch, seq = self._epoch, self._seq
            slot = self._slots.setdefault(name, _Slot())
            self._slots.move_to_end(name)
            self._make_room()
        with slot.lock:
            try:
                found = self._updated(slot, index, name, epoch, seq)
            except BaseException:
                # The pending changes are lost, so the conversation must be loaded again.
                with self._lock:
                    slot.waiting, slot.is_stale = None, True
                raise
        if found is None:
            with self._lock:
                self._slots.pop(name, None)
        return found

    def _make_room(self) -> None:
        """Drops conversations until the remaining ones are within the limits."""
        sizes = {name: slot.transcript.size for name, slot in self._slots.items() if slot.transcript is not None}
        total = sum(sizes.values())
        while len(self._slots) > 1 and (len(self._slots) > self._most or total > self._most_entries):
            name, _ = self._slots.popitem(last=False)
            total -= sizes.get(name, 0)

    def _follow(self, index: Index) -> None:
        """Stores what changed in open conversations since the last read of the change feed."""
        while True:
            feed = index.feed(self._epoch, self._seq)
            if feed.is_broken:
                self._slots.clear()
            for event in feed.events:
                slot = self._slots.get(event.conversation)
                if slot is None:
                    continue
                slot.is_stale = True
                if event.item is None or event.order is None:
                    slot.waiting = None
                elif slot.waiting is not None:
                    slot.waiting[event.item] = event.order
                    if len(slot.waiting) > (_MAX_WAITING if self._last is None else _MAX_WAITING_TAIL):
                        slot.waiting = None
            is_done = feed.is_broken or not feed.events
            self._epoch, self._seq = feed.epoch, feed.seq
            if is_done:
                return

    def _updated(self, slot: _Slot, index: Index, name: str, epoch: str, seq: int) -> OpenTranscript | None:
        with self._lock:
            waiting, slot.waiting = slot.waiting, {}
            is_stale, slot.is_stale = slot.is_stale, False
        transcript = slot.transcript
        if is_stale or transcript is None:
            row = index.conversation(name)
            if row is None:
                return None
            if transcript is None or waiting is None:
                transcript = OpenTranscript(self._vault, self._costs, row, index)
            else:
                transcript.update(index, row, waiting)
            transcript = self._cut(transcript, index, waiting or {})
            slot.transcript = transcript
        # Another thread may have read the feed later in the meantime.
        is_later = transcript.epoch != epoch or transcript.seq < seq
        transcript.epoch, transcript.seq = (epoch, seq) if is_later else (transcript.epoch, transcript.seq)
        return transcript

    def _cut(self, transcript: OpenTranscript, index: Index, changed: dict[str, Order]) -> OpenTranscript:
        """Returns the transcript to keep: only its end if that is enough, otherwise all of it."""
        if self._last is None:
            return transcript
        if transcript.needs_all:
            return transcript.reopened(index, changed) if transcript.begins_at is not None else transcript
        is_long = transcript.size > 2 * self._last
        return transcript.reopened(index, changed, self._last) if is_long else transcript
