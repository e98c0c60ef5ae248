"""Detects that a request was answered in the terminal or by another hook, which the client does not report. Pure."""

from chorus.steer.clients.registry_entry import Running

ELSEWHERE = "it was answered elsewhere"
ENDED = "the session has ended"
ENOUGH_LOOKS = 2
"""How many consecutive looks must show a client past its request: between two requests it is busy for a moment."""


class TerminalSigns:
    """What the registry shows about one request. Call `see` once after each look at the registry."""

    def __init__(self, asked_at_ms: int, *, has_prompt: bool = True) -> None:
        """`asked_at_ms`: when the request was made, in milliseconds since 1970. `has_prompt`: whether the client shows
        it in its terminal at the same time."""
        self._asked_at_ms = asked_at_ms
        self._has_prompt = has_prompt
        self._was_there = False
        self._has_waited = False
        self._gone = 0
        self._past = 0

    def see(self, running: Running | None) -> str | None:
        """Returns why the request is over, or None if it may still be open.

        A client that never waited has no prompt, so being busy proves nothing. For a client that was answered between
        two looks, the time of its last status change proves it.
        """
        if running is None:
            self._gone += self._was_there
            return ENDED if self._gone >= ENOUGH_LOOKS else None
        self._was_there, self._gone = True, 0
        if not self._has_prompt:
            return None
        if running.status == "waiting":
            self._has_waited, self._past = True, 0
            return None
        self._has_waited = self._has_waited or (running.status_since_ms or 0) > self._asked_at_ms
        self._past += self._has_waited
        return ELSEWHERE if self._past >= ENOUGH_LOOKS else None
