"""Tickets: what a page that is logged in asks for, to open one socket soon after."""

import hmac
import secrets
import time
from collections.abc import Callable

from chorus.show.server.errors import Refused

TICKET_S = 30.0
_MOST = 32


class Tickets:
    """Those that were given and not used yet."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._given: dict[str, tuple[str, float]] = {}
        """Ticket → whose it is, and when it ends."""

    def give(self, who: str) -> str:
        now = self._clock()
        self._given = {ticket: each for ticket, each in self._given.items() if each[1] > now}
        if sum(owner == who for owner, _ in self._given.values()) >= _MOST:
            raise Refused(429, "busy", "Too many tickets are waiting to be used; try again in half a minute.")
        ticket = secrets.token_urlsafe(24)
        self._given[ticket] = (who, now + TICKET_S)
        return ticket

    def take(self, ticket: str, who: str) -> bool:
        """Whether the ticket was given to `who` not long ago; it is worth nothing from here on."""
        found = None
        for each in self._given:
            if hmac.compare_digest(each.encode(), ticket.encode("utf-8", "replace")):
                found = each
        if found is None:
            return False
        owner, end = self._given.pop(found)
        return owner == who and end > self._clock()

    def drop(self, who: str) -> None:
        """Forget the tickets of a session that has ended."""
        self._given = {ticket: each for ticket, each in self._given.items() if each[0] != who}
