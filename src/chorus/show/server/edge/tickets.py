"""Tickets: a page that is logged in requests one in order to open one socket shortly afterwards."""

import hmac
import secrets
import time
from collections.abc import Callable

from chorus.show.server.errors import Refused

TICKET_S = 30.0
_MAX_TICKETS = 32


class Tickets:
    """The tickets that were issued and not used yet."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._given: dict[str, tuple[str, float]] = {}
        """Ticket → its login, and when it expires."""

    def give(self, who: str) -> str:
        now = self._clock()
        self._given = {ticket: each for ticket, each in self._given.items() if each[1] > now}
        if sum(owner == who for owner, _ in self._given.values()) >= _MAX_TICKETS:
            raise Refused(429, "busy", "Too many tickets are waiting to be used; try again in half a minute.")
        ticket = secrets.token_urlsafe(24)
        self._given[ticket] = (who, now + TICKET_S)
        return ticket

    def take(self, ticket: str, who: str) -> bool:
        """Returns whether the ticket was issued to `who` and has not expired. A ticket is valid for one call only."""
        found = None
        for each in self._given:
            if hmac.compare_digest(each.encode(), ticket.encode("utf-8", "replace")):
                found = each
        if found is None:
            return False
        owner, end = self._given.pop(found)
        return owner == who and end > self._clock()

    def drop(self, who: str) -> None:
        """Drops the tickets of a session that has ended."""
        self._given = {ticket: each for ticket, each in self._given.items() if each[0] != who}
