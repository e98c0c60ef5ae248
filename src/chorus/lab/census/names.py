"""Counts by a name that stands in the data: bounded, whatever strangers wrote there."""

from collections.abc import Mapping

MAX_NAMES = 10_000
"""Different names kept in one table; data made of random names must not fill the memory."""
MAX_LENGTH = 200
REST = "(more than can be listed)"


class Names(dict[str, int]):
    """How often each name was seen. A name past `most` counts for `REST`; a long one is cut."""

    most = MAX_NAMES

    def count(self, name: str, times: int = 1) -> None:
        if name in self:
            self[name] += times
            return
        name = name[:MAX_LENGTH]
        if name not in self and len(self) >= self.most:
            name = REST
        self[name] = self.get(name, 0) + times

    def add(self, other: Mapping[str, int]) -> None:
        """Count all that another table counted."""
        for name, times in other.items():
            self.count(name, times)

    def ranked(self) -> dict[str, int]:
        """The counts, the most frequent first, then by name."""
        return ranked(self)


class FieldNames(Names):
    """Names of the fields of one object: fewer, since there is such a table for every tool."""

    most = 500


def ranked(counts: Mapping[str, int]) -> dict[str, int]:
    """The counts, the most frequent first, then by name."""
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))
