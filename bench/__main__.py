"""`./dev bench`: measures, prints a table, and writes the figures below bench/results/. README.md explains them."""

import argparse
import compileall
import json
import os
import platform
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from bench import (
    alerting,
    approving,
    blaming,
    board,
    commands,
    copies,
    corpora,
    exponents,
    exporting,
    folding,
    growing,
    idle,
    indexing,
    keeping,
    live,
    load,
    pages,
    patterns,
    progress,
    replaying,
    screen,
    snapshots,
    soaking,
    usage,
)
from bench.measure import Figure
from bench.recorded import recorded

RECORDED_MB = 580
"""The targets for a first pass and for the size of the index refer to this: about 590 MB of real files."""
RESULTS = Path(__file__).resolve().parent / "results"


def main() -> int:
    """Runs all benchmarks; the exit code is 1 if a target is missed."""
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="60 MB instead of 600, fewer rounds")
    parser.add_argument("--only", default="", help="run only the benchmarks whose name contains this word")
    options = parser.parse_args()
    # An installed Chorus has bytecode, and so have the programs that it is compared with.
    compileall.compile_dir(corpora.ROOT / "src", quiet=2)
    figures = []
    print(f"{'':8}{'measured':>10}  {'target':8}  what")
    for figure in figures_of(is_quick=options.quick, only=options.only):
        figures.append(figure)
        verdict = {None: "", True: "met", False: "MISSED"}[figure.is_met]
        print(f"{verdict:8}{figure.value:10.3f}  {figure.target:8}  {figure.name} ({figure.detail})", flush=True)
    write(figures, is_quick=options.quick)
    return int(any(figure.is_met is False for figure in figures))


def figures_of(*, is_quick: bool, only: str) -> Iterator[Figure]:
    """Yields all figures in the order of README.md. Memory is measured first, before this process has grown."""
    rounds = 3 if is_quick else 7
    large = corpora.made_up(60 if is_quick else 600)
    small = corpora.made_up(60)
    if only in "memory":
        yield commands.memory("stats", large)
        yield commands.memory("verify", large)
    if only in "start":
        yield commands.start_up(rounds)
    if only in "cores":
        yield commands.two_cores(large, 1 if is_quick else 2)
    if only in "speed":
        yield folding.speed("made-up sessions", small, rounds)
        if corpora.RECORDINGS.is_dir():
            yield folding.speed("recordings", corpora.RECORDINGS, rounds)
        else:
            print(f"{'skipped':8}{'':10}  {'':8}  read + fold, recordings (there are none beside this clone)")
    if only in "linear":
        with tempfile.TemporaryDirectory() as folder:
            yield from folding.linearity(rounds, 2 if is_quick else 6, Path(folder))
    if only in "exponents":
        yield from exponents.exponents(1 if is_quick else 3)
        yield from exponents.many_agents()
    if only in "copies":
        yield copies.copies(1 if is_quick else 3)
    if only in "snapshots":
        yield from snapshots.snapshots(2 if is_quick else 5, (10_000,) if is_quick else (10_000, 100_000))
    if only in "alerts":
        yield from alerting.alerting(10 if is_quick else 40)
    if only in "board":
        yield from board.board()
    if only in "blaming":
        yield from blaming.blaming(3 if is_quick else 12)
    if only in "progress":
        yield from progress.progress(20 if is_quick else 100)
    if only in "wrapped":
        yield folding.wrapped(rounds)
    if only in "keeping":
        yield keeping.memory(large)
        yield keeping.cold(small, 2)
        yield keeping.packing(small)
        yield keeping.warm(rounds)
        yield keeping.latency()
    if only in "cold":
        many = recorded(50 if is_quick else RECORDED_MB)
        if many:
            yield from indexing.cold("recordings", many, 1 if is_quick else 5, is_judged=True)
            yield from indexing.cold_old("recordings", many, 1 if is_quick else 3, is_judged=True)
        yield from indexing.cold("made-up sessions", large, 1 if is_quick else 2, is_judged=many is None)
    if only in "searching":
        yield from indexing.searching()
    if only in "patterns":
        yield from patterns.patterns()
    if only in "counting":
        yield from indexing.counting(large)
    if only in "usage":
        yield from usage.figures(rounds)
    if only in "growing":
        yield from growing.growing()
        yield growing.many()
    if only in "approving":
        yield from approving.approving()
    if only in "pages":
        yield indexing.pages()
    if only in "size":
        yield indexing.size("made-up sessions", small)
        many = recorded(50 if is_quick else RECORDED_MB)
        if many:
            yield indexing.size("recordings", many)
            yield indexing.size("recordings, each once", corpora.RECORDINGS, is_judged=False)
    if only in "reading":
        yield from pages.figures()
    if only in "replay":
        yield from replaying.figures()
    if only in "exporting":
        yield from exporting.figures(1 if is_quick else rounds)
    if only in "live":
        yield from live.fan_out(5 if is_quick else live.SECONDS)
    if only in "idle":
        yield idle.idle(20 if is_quick else idle.SECONDS)
    if only in "load":
        yield from load.figures(30 if is_quick else load.SECONDS)
    if only in "panes":
        yield from soaking.soaking(10 if is_quick else soaking.SECONDS)
    if only in "screen":
        yield screen.bundle_size()
        yield screen.on_screen()
        yield screen.first_paint(5_000 if is_quick else screen.MANY)
        yield from screen.long_list(1_000 if is_quick else screen.LISTED)


def write(figures: list[Figure], *, is_quick: bool) -> None:
    """Writes the figures with what is needed to compare them, but never the machine's name."""
    RESULTS.mkdir(exist_ok=True)
    now = datetime.now(UTC)
    report = {
        "at": now.isoformat(timespec="seconds"),
        "is_quick": is_quick,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "system": sys.platform,
        "figures": [figure._asdict() for figure in figures],
    }
    path = RESULTS / f"{now:%Y%m%dT%H%M%SZ}.json"
    path.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"Written to {path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path}")


if __name__ == "__main__":
    sys.exit(main())
