"""The replays of conversations that somebody looks at: each is built once, and continued when it grows."""

import threading
import time
from collections import OrderedDict
from datetime import UTC, datetime, timedelta

from chorus.core.records.times import wire_time
from chorus.core.replay.replay import Replay
from chorus.core.spending.price_table import Table
from chorus.core.spending.rates import Prices
from chorus.errors import ChorusError
from chorus.find.costs.conversation_costs import Costs
from chorus.keep.archive.listing import named
from chorus.keep.archive.replaying import KeptReplay
from chorus.keep.vault.port import Vault

_MAX_MOMENTS = 400_000
"""The maximum number of moments in memory, for all replays together."""
_MAX_OPEN = 20
_LARGE, _RECENT = 5_000, timedelta(hours=1)
"""A replay with more moments than this whose conversation did not grow lately is kept without its fold."""
_REST = 10
"""A replay that took a second to build is built again after this many seconds at the earliest."""


class _Slot:
    """A replay, and when it may be built again."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.kept: KeptReplay | None = None
        self.due = 0.0


class Replays:
    """Usable from any thread. A replay must not be used by two threads at once: see `Readers.run` with a lane."""

    def __init__(self, vault: Vault, costs: Costs) -> None:
        self._vault = vault
        self._costs = costs
        self._lock = threading.Lock()
        self._slots: OrderedDict[str, _Slot] = OrderedDict()

    def of(self, name: str) -> Replay | None:
        """Returns the replay of a conversation, as of now; None if there is no such conversation."""
        with self._lock:
            slot = self._slots.setdefault(name, _Slot())
            self._slots.move_to_end(name)
            self._make_room()
        with slot.lock:
            kept = next(iter(named(self._vault, [name])), None)
            if kept is None:
                with self._lock:
                    self._slots.pop(name, None)
                return None
            known = slot.kept
            if known is None or (not known.go_on(kept) and time.monotonic() >= slot.due):
                slot.kept = None
                begun = time.monotonic()
                known = KeptReplay(self._vault, kept, self._prices())
                slot.kept = known
                if len(known.replay) > _LARGE and known.replay.is_older_than(wire_time(datetime.now(UTC) - _RECENT)):
                    known.replay.finish()
                slot.due = time.monotonic() + _REST * (time.monotonic() - begun)
            return known.replay

    def _prices(self) -> Prices:
        try:
            return self._costs.prices
        except ChorusError:
            # The person's price file is invalid. The lists say so; costs are unknown.
            return Prices(Table())

    def _make_room(self) -> None:
        sizes = {name: len(slot.kept.replay) for name, slot in self._slots.items() if slot.kept is not None}
        total = sum(sizes.values())
        while len(self._slots) > 1 and (len(self._slots) > _MAX_OPEN or total > _MAX_MOMENTS):
            name, _ = self._slots.popitem(last=False)
            total -= sizes.get(name, 0)
