"""Times that can be compared: taken in turns within one run, the best of several."""

import gc
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple


class Figure(NamedTuple):
    """One number of a report: a ratio within this run, with the target it is held to."""

    name: str
    value: float
    target: str
    is_met: bool | None
    """None where there is no target."""
    detail: str


def in_turns(
    contestants: Mapping[str, Callable[[], object]], rounds: int, clock: Callable[[], float] = time.process_time
) -> dict[str, float]:
    """The best time of each, in seconds. Taken in turns, so that a busy moment of the machine hits all alike."""
    best = dict.fromkeys(contestants, float("inf"))
    for _ in range(rounds):
        for name, run in contestants.items():
            gc.collect()
            start = clock()
            run()
            best[name] = min(best[name], clock() - start)
    return best
