"""Limits wrong guesses of a secret: for login links and for pairing."""

from collections import deque
from collections.abc import Callable

from chorus.show.server.errors import Refused

TRIES = ((2, 60.0), (12, 3_600.0))
"""(wrong guesses, seconds): after so many wrong guesses within so many seconds, nothing is examined."""


class Guesses:
    """The wrong guesses of the last hour. The caller holds a lock around each call."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._wrong: deque[float] = deque(maxlen=max(most for most, _ in TRIES))

    def check(self, advice: str) -> None:
        """Raises `Refused` with this advice if there were too many wrong guesses."""
        now = self._clock()
        if any(sum(at > now - seconds for at in self._wrong) >= most for most, seconds in TRIES):
            raise Refused(429, "too_many_tries", advice)

    def add(self) -> None:
        """Notes a wrong guess."""
        self._wrong.append(self._clock())

    def clear(self) -> None:
        """Allows new guesses: the person at the computer asked for a new secret."""
        self._wrong.clear()
