"""How fast moments are played: long pauses are shortened, and everything is divided by the speed.

The page follows the same rule; `web/src/testing/vectors/replay.json` has the examples that both must pass.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise

from msgspec import Struct

SPEEDS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""The speeds of the players, from slow to fast."""
IDLE_S = 2.0
"""Longer pauses are shortened to this, unless a person says otherwise."""


class Pause(Struct, frozen=True):
    """A gap between two moments that is played shorter than it was."""

    after: int
    """The position of the moment before it."""
    real_ms: int
    played_ms: int


def played_times(at_ms: Iterable[int], idle_ms: int | None) -> list[int]:
    """Returns when each moment is played, at speed 1, in milliseconds since the first one.

    A gap that is longer than `idle_ms` takes `idle_ms`. None shortens nothing.
    """
    times = list(at_ms)
    found = [0] if times else []
    for before, after in pairwise(times):
        gap = max(0, after - before)
        found.append(found[-1] + (gap if idle_ms is None else min(gap, idle_ms)))
    return found


def real_time(at_ms: Sequence[int], played_ms: Sequence[int], position_ms: float) -> int:
    """Returns the time of the conversation at a position of the player, which is in the times of `played_times`.

    In a gap that is played shorter, the time runs evenly faster, so that a text that was streamed in it is seen.
    """
    if not played_ms:
        return 0
    number = max(0, bisect_right(played_ms, position_ms) - 1)
    if number + 1 >= len(played_ms):
        return at_ms[number]
    real, played = at_ms[number + 1] - at_ms[number], played_ms[number + 1] - played_ms[number]
    return at_ms[number] + int(real * (max(0.0, position_ms - played_ms[number]) / played))


def pauses(at_ms: Sequence[int], idle_ms: int | None) -> list[Pause]:
    """Returns the gaps that are shortened, with their real length."""
    if idle_ms is None:
        return []
    gaps = enumerate(after - before for before, after in pairwise(at_ms))
    return [Pause(position, gap, idle_ms) for position, gap in gaps if gap > idle_ms]


def faster(speed: float) -> float:
    """Returns the next higher speed, or the highest one."""
    return next((each for each in SPEEDS if each > speed), SPEEDS[-1])


def slower(speed: float) -> float:
    """Returns the next lower speed, or the lowest one."""
    return next((each for each in reversed(SPEEDS) if each < speed), SPEEDS[0])
