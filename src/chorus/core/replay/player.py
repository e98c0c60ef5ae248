"""A player: where it is in a replay, whether it plays, and how fast. It knows no clock; the caller says what passed."""

from bisect import bisect_right

from chorus.core.replay.pace import faster, played_times, real_time, slower
from chorus.core.replay.replay import Moment, Replay
from chorus.core.replay.steps import Step, step

MARKS = Step.PROMPT | Step.EDIT | Step.ERROR | Step.QUESTION | Step.COMPACTION


class Player:
    """The position in a replay, between a first and a last moment."""

    def __init__(
        self, replay: Replay, *, first: int = 0, last: int | None = None, speed: float = 1.0, idle_ms: int | None = None
    ) -> None:
        """The replay must have at least one moment. `idle_ms` is the length to which longer pauses are shortened."""
        self.replay = replay
        self.first = first
        self.last = len(replay) - 1 if last is None else max(first, last)
        self.speed = speed
        self.is_playing = True
        self._real = list(replay.at_ms[self.first : self.last + 1])
        self._played = played_times(self._real, idle_ms)
        self._steps = replay.steps[self.first : self.last + 1]
        self._position_ms = 0.0
        self._at = 0
        """The current moment, counted from the first one. Several moments may have the same time."""

    @property
    def moment(self) -> Moment:
        """The current moment."""
        return self.replay.moment(self.first + self._at)

    @property
    def clock_ms(self) -> int:
        """The current time of the conversation, since its start."""
        until = self._real[min(self._at + 1, len(self._real) - 1)]
        return max(self._real[self._at], min(until, real_time(self._real, self._played, self._position_ms)))

    @property
    def position_ms(self) -> float:
        """The time that was played, at speed 1."""
        return self._position_ms

    @property
    def length_ms(self) -> int:
        """How long the whole takes, at speed 1."""
        return self._played[-1]

    @property
    def is_at_end(self) -> bool:
        return self._at == len(self._real) - 1

    @property
    def pause_ms(self) -> int | None:
        """The real length of the gap after the current moment, if it is played shorter; else None."""
        if self.is_at_end:
            return None
        real = self._real[self._at + 1] - self._real[self._at]
        return real if real > self._played[self._at + 1] - self._played[self._at] else None

    def seconds_to_next(self) -> float | None:
        """Returns how long it takes until the next moment; None if the player stands still."""
        if not self.is_playing or self.is_at_end:
            return None
        return max(0.0, (self._played[self._at + 1] - self._position_ms) / self.speed / 1000)

    def advance(self, seconds: float) -> None:
        """Moves on by the time that passed, if it is playing."""
        if self.is_playing:
            self._go_to(self._position_ms + seconds * 1000 * self.speed)
            self.is_playing = not self.is_at_end

    def toggle(self) -> None:
        """Plays, or stops. At the end it begins again."""
        if self.is_at_end and not self.is_playing:
            self.go_to_moment(0)
        self.is_playing = not self.is_playing

    def seek(self, seconds: float) -> None:
        """Moves forward or back by a time at speed 1."""
        self._go_to(self._position_ms + seconds * 1000)

    def seek_share(self, share: float) -> None:
        """Moves to a share of the whole, from 0 to 1."""
        self._go_to(self.length_ms * share)

    def step(self, kind: Step, *, is_back: bool = False) -> bool:
        """Stops at the next moment of one of these kinds, or at the one before; returns whether there is one."""
        self.is_playing = False
        found = step(self._steps, self._at, kind, is_back=is_back)
        if found is not None:
            self.go_to_moment(found)
        return found is not None

    def go_to_moment(self, number: int) -> None:
        """Moves to a moment, counted from the first one of the player."""
        self._at = max(0, min(number, len(self._real) - 1))
        self._position_ms = float(self._played[self._at])

    def play_faster(self) -> None:
        self.speed = faster(self.speed)

    def play_slower(self) -> None:
        self.speed = slower(self.speed)

    def _go_to(self, position_ms: float) -> None:
        self._position_ms = max(0.0, min(position_ms, float(self.length_ms)))
        self._at = max(0, bisect_right(self._played, self._position_ms) - 1)
