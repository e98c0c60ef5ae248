"""Counts tool calls and results over many streams, each id once. A call and its result may be in different files."""

from collections import Counter

from chorus.lab.census.messages import digest
from chorus.lab.census.names import MAX_NAMES, REST


class Calls:
    """Distinct calls and results by tool use id."""

    def __init__(self) -> None:
        self._calls: dict[int, str] = {}
        """Call → the tool's name."""
        self._results: set[int] = set()
        self._errors: Counter[int] = Counter()
        """Call → the number of its failed results: more than one if a session was forked."""

    def has(self, call_id: str) -> bool:
        """Whether the call is known."""
        return digest(call_id) in self._calls

    def called(self, call_id: str, tool: str) -> None:
        self._call(digest(call_id), tool)

    def returned(self, call_id: str, *, is_error: bool) -> None:
        key = digest(call_id)
        self._results.add(key)
        if is_error:
            self._errors[key] += 1

    def merge(self, other: "Calls") -> None:
        """Adds everything that another object knows; the order of merging makes no difference."""
        for key, tool in other._calls.items():
            self._call(key, tool)
        self._results |= other._results
        self._errors.update(other._errors)

    @property
    def calls(self) -> int:
        return len(self._calls)

    @property
    def results(self) -> int:
        return len(self._results)

    @property
    def without_result(self) -> int:
        return len(self._calls.keys() - self._results)

    @property
    def without_call(self) -> int:
        return len(self._results - self._calls.keys())

    def by_tool(self) -> dict[str, dict[str, int]]:
        """Returns tool → the number of distinct calls, and how many of these failed; the most used tool first."""
        found: dict[str, dict[str, int]] = {}
        for key, tool in sorted(self._calls.items(), key=lambda entry: entry[1]):
            name = tool if tool in found or len(found) < MAX_NAMES else REST
            counts = found.setdefault(name, {"calls": 0, "failed": 0})
            counts["calls"] += 1
            counts["failed"] += self._errors[key] > 0
        return dict(sorted(found.items(), key=lambda entry: (-entry[1]["calls"], entry[0])))

    def errors(self) -> dict[str, int]:
        """Returns the number of failed results per tool."""
        found: Counter[str] = Counter()
        for key, times in self._errors.items():
            if tool := self._calls.get(key):
                found[tool] += times
        return found

    def _call(self, key: int, tool: str) -> None:
        self._calls[key] = max(tool, self._calls.get(key, ""))
