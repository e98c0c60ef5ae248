"""`Survey`: what a corpus contains that the catalogue does not know."""

from typing import Any

import msgspec

from chorus.core.records.drift import Drift
from chorus.core.records.record import Record, Unread
from chorus.keep.sources.reading import Advance, Reading
from chorus.lab.census.sources import Readable


class Survey:
    """Drift over files."""

    def __init__(self) -> None:
        self.files = 0
        self.records = 0
        self.drift = Drift()

    def take(self, name: str, advance: Advance | None = None) -> None:
        """Checks one stream; if it cannot be read to its end, raises `SourceUnreadable` and counts nothing of it."""
        self.take_from(Reading(name, advance))

    def take_from(self, reading: Readable) -> None:
        """Checks one stream from any kind of source."""
        drift = Drift()
        records = 0
        for batch in reading.batches():
            for piece in batch:
                if isinstance(piece, Record):
                    drift.add(piece)
                    records += not isinstance(piece, Unread)
        self.files += 1
        self.records += records
        self.drift.merge(drift)

    def merge(self, other: "Survey") -> None:
        """Adds everything that another object found."""
        self.files += other.files
        self.records += other.records
        self.drift.merge(other.drift)

    def as_json(self) -> dict[str, Any]:
        """Returns the documented shape of `chorus drift --json`."""
        findings = [msgspec.structs.asdict(finding) for finding in self.drift.findings()]
        named = self.drift.known_by_name()
        return {"findings": findings, "known_by_name": named, "files": self.files, "records": self.records}
