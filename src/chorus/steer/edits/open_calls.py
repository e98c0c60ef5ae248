"""Which calls of a session have begun and not ended: what changes in the meantime may be their doing."""

from chorus.steer.edits.events import EditEvent, Stage

LONGEST_MS = 900_000
"""No call that waits for its result takes longer: after that its end was not reported, or will never be."""


class OpenCalls:
    """The open call of each agent, with the time at which it began.

    An agent runs one call after the other. So its next call also ends one that was denied, of which no end is reported.
    Sub-agents work on after the turn in which they began has ended, and while a person sends the next prompt.
    """

    def __init__(self) -> None:
        self._open: dict[str, dict[str, tuple[str, int]]] = {}
        """Session → agent → its call and when that began, in milliseconds."""

    def take(self, event: EditEvent, time_ms: int) -> int | None:
        """Notes what an event says. The end of a turn, and a prompt, end the call of the main thread.

        Returns when the call began that the event ended; None if it ended none.
        """
        ended: int | None = None
        calls = self._open.setdefault(event.session, {})
        match event.stage:
            case Stage.START:
                calls.clear()
            case Stage.BEFORE:
                calls[event.agent] = (event.call, time_ms)
            case Stage.AFTER if calls.get(event.agent, ("", 0))[0] != event.call:
                pass
            case Stage.AFTER | Stage.PROMPT | Stage.END:
                _, ended = calls.pop(event.agent, ("", None))
        for agent in [agent for agent, (_, began_ms) in calls.items() if began_ms < time_ms - LONGEST_MS]:
            del calls[agent]
        if not calls:
            del self._open[event.session]
        return ended

    def others_began_ms(self, event: EditEvent) -> int | None:
        """Returns when the first open call of the other agents of the session began; None if there is none."""
        calls = self._open.get(event.session, {})
        return min((began_ms for agent, (_, began_ms) in calls.items() if agent != event.agent), default=None)
