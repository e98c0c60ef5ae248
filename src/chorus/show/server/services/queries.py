"""Parses queries of requests, and limits how long they may take."""

import time
from datetime import datetime

from chorus.base.zone import local_zone
from chorus.core.query.parse import parse
from chorus.core.query.tree import Query

LOOK_S = 2.0
"""How long a query may read entries one by one."""


class Deadline:
    """Returns, when called, whether the time is over; `has_passed` is the result of the last call."""

    def __init__(self, seconds: float = LOOK_S) -> None:
        self._end = time.monotonic() + seconds
        self.has_passed = False

    def __call__(self) -> bool:
        self.has_passed = time.monotonic() > self._end
        return self.has_passed


def read(text: str) -> Query:
    """Parses a query; raises `QueryError` with the position of an error. Days are in the time zone of this machine."""
    return parse(text, now=datetime.now(local_zone()))
