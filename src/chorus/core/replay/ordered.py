"""Items in the order of their order keys, which may change, come and go at any time."""

from bisect import bisect_left, insort
from typing import Generic, TypeVar

from chorus.core.conversation.items import Item, Order

_Kind = TypeVar("_Kind", bound=Item)


class Ordered(Generic[_Kind]):
    """A sorted list of items, by id. Adding and removing take nearly constant time at its end."""

    def __init__(self) -> None:
        self._items: dict[str, _Kind] = {}
        self._keys: list[tuple[Order, str]] = []

    def put(self, item: _Kind) -> None:
        """Adds an item, or replaces the one with the same id."""
        known = self._items.get(item.id)
        self._items[item.id] = item
        if known is not None:
            if known.order == item.order:
                return
            self._drop_key(known)
        insort(self._keys, (item.order, item.id))

    def remove(self, item_id: str) -> _Kind | None:
        """Removes an item and returns it; None if there is no such item."""
        known = self._items.pop(item_id, None)
        if known is not None:
            self._drop_key(known)
        return known

    def get(self, item_id: str) -> _Kind | None:
        return self._items.get(item_id)

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def last(self) -> _Kind | None:
        """The last item in the order."""
        return self._items[self._keys[-1][1]] if self._keys else None

    def all(self) -> list[_Kind]:
        """Returns the items in order."""
        return [self._items[item_id] for _, item_id in self._keys]

    def _drop_key(self, item: _Kind) -> None:
        del self._keys[bisect_left(self._keys, (item.order, item.id))]
