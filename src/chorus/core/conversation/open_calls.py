"""The calls without a result, so that the newest is known without looking at all of them."""

from bisect import bisect_left, insort
from functools import cached_property
from itertools import islice

from msgspec import Struct, field

from chorus.core.conversation.items import Order


class _ByOrder:
    """The calls by the order key of their record. Many calls of one message have the same."""

    def __init__(self) -> None:
        self.keys: list[Order] = []
        self.calls: dict[Order, dict[str, None]] = {}

    def add(self, call: str, order: Order) -> None:
        if order not in self.calls:
            insort(self.keys, order)
            self.calls[order] = {}
        self.calls[order][call] = None

    def remove(self, call: str, order: Order) -> None:
        del self.calls[order][call]
        if not self.calls[order]:
            del self.calls[order]
            del self.keys[bisect_left(self.keys, order)]


class OpenCalls(Struct, dict=True):
    """Calls without a result. No method looks at all of them, however many there are."""

    order_of: dict[str, Order] = field(default_factory=dict)
    """Call → the order key of its record."""

    @cached_property
    def _by_order(self) -> _ByOrder:
        # Not saved with the state: it follows from the calls.
        found = _ByOrder()
        for call, order in self.order_of.items():
            found.add(call, order)
        return found

    def __bool__(self) -> bool:
        return bool(self.order_of)

    def add(self, call: str, order: Order) -> None:
        """Add a call, or give it another place in the order."""
        self.discard(call)
        self._by_order.add(call, order)
        self.order_of[call] = order

    def discard(self, call: str) -> None:
        """Remove a call, if it is there."""
        by_order = self._by_order
        order = self.order_of.pop(call, None)
        if order is not None:
            by_order.remove(call, order)

    def remove_before(self, end: Order) -> None:
        """Remove the calls of all records before `end`."""
        by_order = self._by_order
        count = bisect_left(by_order.keys, end)
        for order in by_order.keys[:count]:
            for call in by_order.calls.pop(order):
                del self.order_of[call]
        del by_order.keys[:count]

    def first(self, count: int, start: Order) -> list[str]:
        """Return at most `count` calls, in order, from the records from `start` on."""
        by_order = self._by_order
        keys = islice(by_order.keys, bisect_left(by_order.keys, start), None)
        return list(islice((call for order in keys for call in by_order.calls[order]), count))

    @property
    def newest(self) -> str | None:
        """The first call of the last record with open calls."""
        by_order = self._by_order
        return next(iter(by_order.calls[by_order.keys[-1]])) if by_order.keys else None
