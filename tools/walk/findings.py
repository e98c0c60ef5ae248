"""What a walk found, and how it is told: to people in lines, to programs as JSON."""

import json
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

SHOWN = 40
"""So many findings of a section are printed; the file has all."""
SLOWEST = 5


@dataclass(frozen=True)
class Finding:
    """Something that is wrong."""

    where: str
    """The conversation and thread, or the command and width."""
    kind: str
    what: str


@dataclass
class Visit:
    """One thread of a conversation that was read to its end, or one command that was run."""

    where: str
    seconds: float
    counts: dict[str, int] = field(default_factory=dict)


@dataclass
class Section:
    """All that was seen of one kind of place."""

    name: str
    visits: list[Visit] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def found(self, where: str, kind: str, what: str) -> None:
        """Note it, and say it at once: a walk is long."""
        finding = Finding(where, kind, " ".join(what.split())[:400])
        self.findings.append(finding)
        print(f"{self.name}: {where}: {kind}: {finding.what}", file=sys.stderr, flush=True)

    def lines(self) -> Iterable[str]:
        """The section in words."""
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
    """All of it for programs, in one file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([asdict(section) for section in sections], indent=1), encoding="utf-8")
