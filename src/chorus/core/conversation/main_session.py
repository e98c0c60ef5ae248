"""Which session a person means, if a file or a conversation contains several."""

from collections.abc import Callable, Mapping
from typing import TypeVar

_Session = TypeVar("_Session")


def main_session(found: Mapping[str, _Session], named: str, items_of: Callable[[_Session], int]) -> _Session | None:
    """Returns the session with the id `named`, else the first one with most items, or None if there is none.

    `found` maps session ids to sessions.
    """
    longest = max(found.values(), key=items_of, default=None)
    return found.get(named, longest)
