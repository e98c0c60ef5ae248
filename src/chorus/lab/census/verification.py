"""`Verification`: checks that reading loses no byte, and how much of the data the typed model covers."""

import io
import os
from typing import Any

import msgspec

from chorus.core.records.coverage import Coverage
from chorus.core.records.record import Record
from chorus.keep.sources.reading import Advance, Reading, is_regular, opened
from chorus.lab.census.comparison import Copy, CoverComparison


class Difference(msgspec.Struct, frozen=True):
    """The first difference between what was read and the bytes of the file."""

    file: str
    offset: int
    reason: str


class Verification:
    """Checks files: compares all pieces, joined again, with a second, plain read of the same bytes."""

    def __init__(self) -> None:
        self.files = 0
        self.size_bytes = 0
        self.lines = 0
        self.differences: list[Difference] = []
        self.coverage = Coverage()

    def take(self, name: str, advance: Advance | None = None) -> None:
        """Checks one stream; if it cannot be read to its end, raises `SourceUnreadable` and counts nothing of it."""
        reading = Reading(name, advance)
        coverage = Coverage()
        if is_regular(name):
            with opened(name) as file:
                # Before the reader opens it: everything that is there now must be read, whatever is added meanwhile.
                size_bytes = os.fstat(file.fileno()).st_size
                comparison = CoverComparison(io.BufferedReader(file).read)  # type: ignore[arg-type] - raw, as opened
                self._compare(reading, comparison, coverage, None)
                comparison.close(size_bytes)
        else:
            copy = Copy()
            comparison = CoverComparison(copy.take)
            self._compare(reading, comparison, coverage, copy)
            comparison.close(reading.size_bytes)
        self.files += 1
        self.size_bytes += reading.size_bytes
        self.lines += reading.lines
        self.coverage.merge(coverage)
        if comparison.different_at is not None:
            self.differences.append(Difference(name, comparison.different_at, comparison.reason))

    def merge(self, other: "Verification") -> None:
        """Adds everything that another object checked."""
        self.files += other.files
        self.size_bytes += other.size_bytes
        self.lines += other.lines
        self.coverage.merge(other.coverage)
        self.differences = sorted([*self.differences, *other.differences], key=lambda difference: difference.file)

    def as_json(self) -> dict[str, Any]:
        """Returns the documented shape of `chorus verify --json`."""
        return {
            "files": self.files,
            "lines": self.lines,
            "bytes": self.size_bytes,
            "identical": not self.differences,
            "differences": [msgspec.structs.asdict(difference) for difference in self.differences],
            "coverage": {**self.coverage.shares(), "total": self.coverage.total()},
        }

    @staticmethod
    def _compare(reading: Reading, comparison: CoverComparison, coverage: Coverage, copy: Copy | None) -> None:
        for batch in reading.batches(copy.keep if copy else None):
            for piece in batch:
                comparison.add(piece)
                if isinstance(piece, Record):
                    coverage.add(piece)
