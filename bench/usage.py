"""Opening the usage page of a million messages. `python -m bench.usage`."""

from collections.abc import Iterator
from datetime import UTC

from bench.measure import Figure, in_turns
from bench.million import CONVERSATIONS, ENTRIES, million
from chorus.core.query.usage_lines import Grouping
from chorus.core.spending.rates import Prices
from chorus.core.views.workspace_names import WorkspaceNames
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.usage.overview import Overview, overview
from chorus.find.usage.report import Selection, UsageReports
from chorus.keep.vault.memory import MemoryVault

TARGET_S = 0.5


def figures(rounds: int) -> Iterator[Figure]:
    """Measures everything that the page shows, by day and by model, and by day for one workspace."""
    index = SqliteIndex(million())
    vault, names = MemoryVault(), WorkspaceNames({})
    some = [name for name in index.positions() if name.startswith("project-00000003/")]

    def opened(by: Grouping, selection: Selection) -> Overview:
        return overview(UsageReports(index, Prices.load(), selection), index, vault, names, (by, "hour"), str)

    asked = {
        "by day": lambda: opened("day", Selection(zone=UTC)),
        "by model": lambda: opened("model", Selection(zone=UTC)),
        "of one workspace": lambda: opened("day", Selection(zone=UTC, names=some)),
    }
    for what, seconds in in_turns(asked, rounds).items():
        yield Figure(
            f"the usage page {what}",
            seconds,
            f"≤ {TARGET_S}",
            seconds <= TARGET_S,
            f"s, {CONVERSATIONS * ENTRIES:,} messages in {CONVERSATIONS:,} conversations",
        )
    index.close()


if __name__ == "__main__":
    for figure in figures(5):
        print(f"{figure.value:8.3f}  {figure.target}  {figure.name} ({figure.detail})", flush=True)
