"""The steps of a player: from a moment to the next row, call, turn, prompt, error, edit or question."""

from collections.abc import Sequence
from enum import IntFlag


class Step(IntFlag):
    """What a moment is a step for. A moment may be several."""

    ROW = 1
    CALL = 2
    TURN = 4
    PROMPT = 8
    EDIT = 16
    ERROR = 32
    QUESTION = 64
    COMPACTION = 128


def step(steps: Sequence[int], at: int, kind: Step, *, is_back: bool = False) -> int | None:
    """Returns the position of the next moment of a kind after `at`, or of the last one before it; None if none is.

    `steps` has the kinds of each moment. `at` may be -1, which is before the first moment.
    """
    positions = range(min(at, len(steps)) - 1, -1, -1) if is_back else range(max(at + 1, 0), len(steps))
    return next((position for position in positions if steps[position] & kind), None)
