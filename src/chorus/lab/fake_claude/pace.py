"""Decides when a step is due: as long after the previous one as in the recording."""

from chorus.lab.fake_claude.playback import Playback
from chorus.lab.fake_claude.script import Need, Step


class Pace:
    """The clock of a playback. A step that waits for the caller is due as soon as the caller has acted."""

    def __init__(self, playback: Playback) -> None:
        self._playback = playback
        self._played = 0.0
        self._recorded: float | None = None

    def due(self, step: Step) -> float:
        if step.need is not Need.NOTHING or step.time is None or self._recorded is None:
            return self._played
        return self._played + self._playback.pause(step.time - self._recorded)

    def note(self, step: Step, now: float) -> None:
        """Records that the step was played at this time."""
        self._played = now
        self._recorded = step.time if step.time is not None else self._recorded
