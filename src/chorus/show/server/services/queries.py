"""Queries as they come over the wire, and how long they may take."""

import time
from datetime import datetime

from chorus.base.zone import local_zone
from chorus.core.query.parse import parse
from chorus.core.query.tree import Query

LOOK_S = 2.0
"""How long a query may look at entries one by one."""


class Late:
    """Says when it is too late, and remembers that it did."""

    def __init__(self, seconds: float = LOOK_S) -> None:
        self._end = time.monotonic() + seconds
        self.has_passed = False

    def __call__(self) -> bool:
        self.has_passed = time.monotonic() > self._end
        return self.has_passed


def read(text: str) -> Query:
    """The query that was typed; `QueryError` points at what makes no sense. Days are those of this machine."""
    return parse(text, now=datetime.now(local_zone()))
