"""The prompts of a conversation in order of time: each begins a turn, which lasts until the next one."""

from bisect import bisect_left, bisect_right, insort


class Prompts:
    """Finds the turn of a moment. What sub-agents do counts for the turn in which they do it."""

    def __init__(self) -> None:
        self._times: dict[str, str] = {}
        self._ordered: list[tuple[str, str]] = []
        self._changed_at: str | None = None

    def __len__(self) -> int:
        return len(self._ordered)

    def put(self, item: str, time: str) -> None:
        """Adds a prompt, or changes its time. The cost does not grow with the number of prompts."""
        if self._times.get(item) != time:
            self.remove(item)
            self._times[item] = time
            insort(self._ordered, (time, item))
            self._note(time)

    def remove(self, item: str) -> None:
        """Removes a prompt, if it is known."""
        time = self._times.pop(item, None)
        if time is not None:
            del self._ordered[bisect_left(self._ordered, (time, item))]
            self._note(time)

    def before(self, time: str | None) -> str:
        """Returns the last prompt that is not later than `time`: its time, a space and its id. "" if there is none."""
        at = bisect_right(self._ordered, (time, _LAST)) if time else 0
        return " ".join(self._ordered[at - 1]) if at else ""

    def take_change(self) -> str | None:
        """Returns the earliest time from which turns may have changed since the last call; None if none has."""
        changed, self._changed_at = self._changed_at, None
        return changed

    def _note(self, time: str) -> None:
        self._changed_at = time if self._changed_at is None else min(self._changed_at, time)


_LAST = "\U0010ffff"
"""Sorts after every id."""
NO_PROMPTS = Prompts()
