"""Which calls of a session have begun and not ended: what changes in the meantime may be their doing."""

from chorus.steer.edits.events import EditEvent, Stage


class OpenCalls:
    """The open call of each agent, with the time at which it began.

    An agent runs one call after the other. So its next call also ends one that was denied, of which no end is reported.
    """

    def __init__(self) -> None:
        self._open: dict[str, dict[str, tuple[str, int]]] = {}
        """Session → agent → its call and when that began, in milliseconds."""

    def take(self, event: EditEvent, time_ms: int) -> None:
        """Notes what an event says. The end of a turn, and a new prompt, end the calls of all agents."""
        calls = self._open.setdefault(event.session, {})
        match event.stage:
            case Stage.BEFORE:
                calls[event.agent] = (event.call, time_ms)
            case Stage.AFTER if calls.get(event.agent, ("", 0))[0] == event.call:
                calls.pop(event.agent, None)
            case Stage.END if event.agent:
                calls.pop(event.agent, None)
            case Stage.PROMPT | Stage.END:
                calls.clear()
            case _:
                pass
        if not calls:
            del self._open[event.session]

    def began_ms(self, session: str, now_ms: int) -> int:
        """Returns when the first open call of a session began; `now_ms` if none is open."""
        return min([now_ms, *(began for _, began in self._open.get(session, {}).values())])
