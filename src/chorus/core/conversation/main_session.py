"""Which session a person means, where a file or a conversation holds several."""

from collections.abc import Callable, Mapping
from typing import TypeVar

_Session = TypeVar("_Session")


def main_session(found: Mapping[str, _Session], named: str, items_of: Callable[[_Session], int]) -> _Session | None:
    """The one that is named, else the one with most items, of several the first; None where there is none.

    `found` is by session id.
    """
    longest = max(found.values(), key=items_of, default=None)
    return found.get(named, longest)
