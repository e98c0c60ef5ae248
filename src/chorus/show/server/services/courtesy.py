"""Background work lets people go first: threads share one interpreter, and an answer should not wait for a batch."""

import time
from collections.abc import Callable

LONGEST_S = 0.08
"""How long background work waits at one place, however many requests there are: it must get on as well."""
_STEP_S = 0.004


def courtesy(is_answering: Callable[[], bool]) -> Callable[[], None]:
    """A function for background threads to call between two pieces of work: it waits while a request is answered."""

    def give_way() -> None:
        end = time.monotonic() + LONGEST_S
        while is_answering() and time.monotonic() < end:
            time.sleep(_STEP_S)

    return give_way
