"""The findings of a walk, and their output: as lines for people, as JSON for programs."""

import json
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

SHOWN = 40
"""How many findings of a section are printed; the report file has all."""
SLOWEST = 5


@dataclass(frozen=True)
class Finding:
    """One problem."""

    where: str
    """The conversation and thread, or the command and width."""
    kind: str
    what: str


@dataclass
class Visit:
    """A thread of a conversation that was read to its end, or a command that was run."""

    where: str
    seconds: float
    counts: dict[str, int] = field(default_factory=dict)


@dataclass
class Section:
    """All visits and findings of one kind: pages or tables."""

    name: str
    visits: list[Visit] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def found(self, where: str, kind: str, what: str) -> None:
        """Adds a finding and prints it at once, because a walk takes long."""
        finding = Finding(where, kind, " ".join(what.split())[:400])
        self.findings.append(finding)
        print(f"{self.name}: {where}: {kind}: {finding.what}", file=sys.stderr, flush=True)

    def lines(self) -> Iterable[str]:
        """Yields the lines of the printed report."""
        totals = Counter[str]()
        for visit in self.visits:
            totals.update(visit.counts)
        told = ", ".join(f"{number:,} {name}" for name, number in sorted(totals.items()))
        yield f"{self.name}: {len(self.visits):,} visits ({told}), {len(self.findings):,} findings"
        for kind, number in Counter(finding.kind for finding in self.findings).most_common():
            yield f"  {number:>6,}  {kind}"
        for finding in self.findings[:SHOWN]:
            yield f"  {finding.where}: {finding.kind}: {finding.what}"
        if len(self.findings) > SHOWN:
            yield f"  … and {len(self.findings) - SHOWN:,} more"
        slowest = sorted(self.visits, key=lambda visit: -visit.seconds)[:SLOWEST]
        yield "  slowest: " + "; ".join(f"{visit.where} {visit.seconds:.1f} s" for visit in slowest)


def write(sections: Iterable[Section], path: Path) -> None:
    """Writes all sections into one JSON file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([asdict(section) for section in sections], indent=1), encoding="utf-8")
