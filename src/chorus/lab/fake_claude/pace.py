"""When a step is due: as long after the one before it as when it was recorded."""

from chorus.lab.fake_claude.playback import Manner
from chorus.lab.fake_claude.script import Need, Step


class Pace:
    """The clock of a performance. What waits for the caller is due as soon as the caller has done it."""

    def __init__(self, manner: Manner) -> None:
        self._manner = manner
        self._played = 0.0
        self._recorded: float | None = None

    def due(self, step: Step) -> float:
        if step.need is not Need.NOTHING or step.time is None or self._recorded is None:
            return self._played
        return self._played + self._manner.pause(step.time - self._recorded)

    def note(self, step: Step, now: float) -> None:
        """The step was played at this moment."""
        self._played = now
        self._recorded = step.time if step.time is not None else self._recorded
