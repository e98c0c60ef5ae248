"""Tokens, the unit that usage is told in. Apart from the items, so that who only adds up need not know them."""

from msgspec import Struct


class Tokens(Struct, frozen=True, gc=False):
    """Tokens of a message or of many; `cache_creation` is the sum of the two lifetimes where a client tells them."""

    input: int = 0
    output: int = 0
    cache_creation: int = 0
    cache_read: int = 0
    cache_creation_5m: int = 0
    cache_creation_1h: int = 0
    web_searches: int = 0
    web_fetches: int = 0
