"""Token counts. In a separate module, so that code that only adds them up does not import the items."""

from operator import add

from msgspec import Struct, structs


class Tokens(Struct, frozen=True, gc=False):
    """Tokens of one or many messages. `cache_creation` is the sum of the two lifetimes, if a client reports them."""

    input: int = 0
    output: int = 0
    cache_creation: int = 0
    cache_read: int = 0
    cache_creation_5m: int = 0
    cache_creation_1h: int = 0
    web_searches: int = 0
    web_fetches: int = 0

    def __add__(self, other: "Tokens") -> "Tokens":
        return Tokens(*map(add, structs.astuple(self), structs.astuple(other)))

    def __radd__(self, other: object) -> "Tokens":
        """Supports `sum`, which begins with 0."""
        return self if other == 0 else NotImplemented

    @property
    def total(self) -> int:
        """All input and output tokens, cached or not."""
        return self.input + self.output + self.cache_creation + self.cache_read
