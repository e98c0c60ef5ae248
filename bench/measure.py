"""Measures times that can be compared: in turns within one run, the best of several."""

import gc
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple


class Figure(NamedTuple):
    """One number of a report, usually a ratio within this run, with its target."""

    name: str
    value: float
    target: str
    is_met: bool | None
    """None if there is no target."""
    detail: str


def in_turns(
    contestants: Mapping[str, Callable[[], object]], rounds: int, clock: Callable[[], float] = time.process_time
) -> dict[str, float]:
    """Returns the best time of each in seconds. They run in turns, so that a busy moment of the machine affects all."""
    best = dict.fromkeys(contestants, float("inf"))
    for _ in range(rounds):
        for name, run in contestants.items():
            gc.collect()
            start = clock()
            run()
            best[name] = min(best[name], clock() - start)
    return best
