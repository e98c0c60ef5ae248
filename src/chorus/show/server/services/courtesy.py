"""Makes background work wait for requests: all threads share one interpreter, and an answer should not wait for a
batch."""

import time
from collections.abc import Callable

LONGEST_S = 0.08
"""The longest wait of background work at one time, however many requests there are: it must make progress too."""
_STEP_S = 0.004


def courtesy(is_answering: Callable[[], bool]) -> Callable[[], None]:
    """Returns a function that background threads call between two pieces of work. It waits while a request is being
    answered."""

    def give_way() -> None:
        end = time.monotonic() + LONGEST_S
        while is_answering() and time.monotonic() < end:
            time.sleep(_STEP_S)

    return give_way
