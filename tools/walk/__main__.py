"""`./dev walk [--only page|tables] [--report FILE] [SOURCE…]`."""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]

from tools.walk import __doc__ as about  # noqa: E402 - the tool runs without an installed package
from tools.walk.findings import Section, write  # noqa: E402
from tools.walk.page import walk_pages  # noqa: E402
from tools.walk.tables import walk_tables  # noqa: E402
from tools.walk.world import given_sources, prepared  # noqa: E402

REPORT = ROOT / "build" / "walk" / "report.json"
START_S = 600


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="./dev walk", description=about)
    parser.add_argument("source", nargs="*", help="files and folders; else ../shared, else made-up sessions")
    parser.add_argument("--made-up", action="store_true", help="sessions of our builders, whatever there is")
    parser.add_argument("--only", choices=("page", "tables"), help="only one of the two sections")
    parser.add_argument("--session", action="append", help="on the page, only the conversation of this id")
    parser.add_argument("--report", type=Path, default=REPORT, help="where all findings are written, as JSON")
    asked = parser.parse_args(arguments)
    sources = [] if asked.made_up else given_sources(asked.source)
    sections = walk(sources, only=asked.only, sessions=asked.session)
    write(sections, asked.report)
    for section in sections:
        print("\n".join(section.lines()), flush=True)
    print(f"all of it: {asked.report}")
    return 1 if any(section.findings for section in sections) else 0


def walk(sources: Sequence[Path], *, only: str | None = None, sessions: Sequence[str] | None = None) -> list[Section]:
    """Imports the sources, then checks the pages and tables of what was imported."""
    sections: list[Section] = []
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="chorus-walk-") as folder:
        server = prepared(Path(folder), sources)
        print(f"imported in {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
        if only != "tables":
            server.start(patience_s=START_S)
            try:
                sections.append(asyncio.run(walk_pages(server, only=sessions)))
            finally:
                server.kill()
        if only != "page":
            sections.append(walk_tables(server))
    return sections


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
