"""Counts names that occur in the data. The tables are bounded, whatever untrusted data contains."""

from collections.abc import Mapping

MAX_NAMES = 10_000
"""The maximum number of names in one table, so that data with random names cannot fill the memory."""
MAX_LENGTH = 200
REST = "(more than can be listed)"


class Names(dict[str, int]):
    """How often each name occurred. Names beyond the limit `most` are counted as `REST`; a long name is cut."""

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
        """Adds the counts of another table."""
        for name, times in other.items():
            self.count(name, times)

    def ranked(self) -> dict[str, int]:
        """Returns the counts, the most frequent first, then by name."""
        return ranked(self)


class FieldNames(Names):
    """Names of the fields of one object: fewer, because every tool has such a table."""

    most = 500


def ranked(counts: Mapping[str, int]) -> dict[str, int]:
    """Returns the counts, the most frequent first, then by name."""
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))
