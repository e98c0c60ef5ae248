"""The index: a first pass compared with another program's, searching a million messages, counting, pages, size."""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from bench import peers
from bench.commands import children_cpu, peak_of
from bench.corpora import session_files, size_mb
from bench.measure import Figure, in_turns
from bench.million import million, vocabulary
from chorus.core.query.parse import parse
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.indexing.index_keeper import FOLDER, IndexKeeper
from chorus.find.indexing.open_conversation import OpenConversation
from chorus.find.indexing.workers import WORKERS
from chorus.find.payloads.loader import Loader
from chorus.keep.archive.listing import conversations
from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Session
from chorus.testing.indexes import keep, name_of

COLD_TARGET, MEMORY_TARGET_MB, SIZE_TARGET = 0.5, 250, 0.5
P50_TARGET_MS, P99_TARGET_MS, SEARCH_TARGET_S, COST_TARGET_S, PAGE_TARGET_MS = 5, 50, 0.25, 0.15, 10
NO_INDEX_TARGET = 0.8
_NOW = datetime(2026, 6, 1, tzinfo=UTC)
_NEVER = "9999"


def cold(what: str, folder: Path, rounds: int, *, is_judged: bool) -> list[Figure]:
    """Compares a first pass (vault, index, words) with that of agentsview; also returns its peak memory, as if all
    processes peaked at once."""
    program = peers.find(peers.AGENTSVIEW, "agentsview")
    ours, theirs, peak, parts = float("inf"), float("inf"), 0.0, ""
    our_cpu, their_cpu = float("inf"), float("inf")
    imported: peers.Imported | None = None
    # Files are deleted at the very end only: shortly after thousands of files were deleted, the kernel creates new ones
    # more slowly, and no such deletion precedes a real first pass.
    with tempfile.TemporaryDirectory(dir=folder.parent) as homes:
        for n in range(rounds):
            start_cpu = children_cpu()
            told, seconds = peak_of("sync", str(folder), "--vault", str(Path(homes, str(n))), "--json")
            our_cpu = min(our_cpu, children_cpu() - start_cpu)
            total = (told["main"] + WORKERS * told["worker"]) / 1e6
            ours, peak = min(ours, seconds), max(peak, total)
            parts = f"main {told['main'] / 1e6:.0f} MB + {WORKERS} × {told['worker'] / 1e6:.0f} MB"
            if program:
                start_cpu = children_cpu()
                imported = peers.agentsview_cold(program, folder)
                theirs = min(theirs, imported.seconds)
                their_cpu = min(their_cpu, children_cpu() - start_cpu)
    megabytes = size_mb(session_files(folder))
    figures = [
        Figure(
            f"peak memory of sync with the index, {what}, MB",
            peak,
            f"≤ {MEMORY_TARGET_MB}",
            peak <= MEMORY_TARGET_MB,
            f"{megabytes:.0f} MB in {ours:.1f} s; {parts}",
        )
    ]
    if imported:
        ratio = ours / theirs
        took = f"{imported.sessions} sessions, {imported.messages} messages, {imported.searchable_mb:.1f} MB searchable"
        detail = f"{megabytes:.0f} MB: sync {ours:.1f} s, agentsview {theirs:.1f} s ({took})"
        is_met = ratio <= COLD_TARGET if is_judged else None
        figures.append(Figure(f"cold sync against agentsview, {what}", ratio, f"≤ {COLD_TARGET}", is_met, detail))
        # On a busy machine, wall-clock time says little about a program that uses all cores.
        detail = f"sync {our_cpu:.1f} s, agentsview {their_cpu:.1f} s"
        name = f"cold sync against agentsview, {what}, processor time"
        figures.append(Figure(name, our_cpu / their_cpu, "", None, detail))
    return figures


def cold_old(what: str, folder: Path, rounds: int, *, is_judged: bool) -> list[Figure]:
    """Compares the same for files that nobody has changed for 90 days, which Chorus packs."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        old = shutil.copytree(folder, Path(scratch, "old"))
        then_s = time.time() - 90 * 86_400
        for path in old.rglob("*.jsonl"):
            os.utime(path, (then_s, then_s))
        return cold(f"{what} older than 30 days", old, rounds, is_judged=is_judged)


def searching() -> list[Figure]:
    """Measures 200 fixed queries over a million messages in this process, then the whole command."""
    folder = million()
    index = SqliteIndex(folder)
    lags = []
    for text in _queries():
        query = parse(text, now=_NOW)
        start = time.perf_counter()
        index.search(query, limit=20)
        lags.append((time.perf_counter() - start) * 1000)
    index.close()
    lags.sort()
    p50, p99 = lags[len(lags) // 2], lags[int(len(lags) * 0.99)]
    detail = f"{len(lags)} queries, the slowest {lags[-1]:.0f} ms"
    with tempfile.TemporaryDirectory() as home:
        shutil.copytree(folder, Path(home, FOLDER))
        whole = _best(lambda: _chorus("search", vocabulary()[50], "--vault", home, "--json"))
    return [
        Figure("search, p50, ms", p50, f"≤ {P50_TARGET_MS}", p50 <= P50_TARGET_MS, detail),
        Figure("search, p99, ms", p99, f"≤ {P99_TARGET_MS}", p99 <= P99_TARGET_MS, detail),
        Figure("the whole search command, s", whole, f"≤ {SEARCH_TARGET_S}", whole <= SEARCH_TARGET_S, "1 M messages"),
    ]


def counting(folder: Path) -> list[Figure]:
    """Measures `chorus cost` from the index as a whole process; compares it with ccusage when both read files."""
    with tempfile.TemporaryDirectory() as home:
        _chorus("sync", str(folder), "--vault", home)
        seconds = _best(lambda: _chorus("cost", "--vault", home, "--json"))
    detail = f"{size_mb(session_files(folder)):.0f} MB of sessions"
    figures = [Figure("the whole cost command, s", seconds, f"≤ {COST_TARGET_S}", seconds <= COST_TARGET_S, detail)]
    program = peers.find(peers.CCUSAGE, "ccusage")
    if program:
        contestants = {
            "ours": lambda: _chorus("cost", "--no-index", str(folder), "--json"),
            "ccusage": lambda: peers.ccusage(program, folder),
        }
        # Processor time too: on a busy machine, wall-clock time says little about two programs that use all cores.
        for what, clock in (("", time.perf_counter), (", processor time", children_cpu)):
            best = in_turns(contestants, 3, clock)
            ratio = best["ours"] / best["ccusage"]
            told = f"{detail}: cost {best['ours']:.2f} s, ccusage {best['ccusage']:.2f} s"
            name = f"cost --no-index against ccusage{what}"
            figures.append(Figure(name, ratio, f"≤ {NO_INDEX_TARGET:g}", ratio <= NO_INDEX_TARGET, told))
    return figures


def pages() -> Figure:
    """Measures a page of 200 entries with their contents, from the middle of 50,000 messages."""
    with tempfile.TemporaryDirectory() as home:
        vault = FileVault(Path(home))
        talk = Session()
        for n in range(25_000):
            talk.user(f"prompt {n} " + "word " * 60)
            talk.assistant(f"answer {n} " + "word " * 200)
        keep(vault, talk)
        keeper = IndexKeeper(vault, saved_since=_NEVER)
        keeper.catch_up()
        name = name_of(talk)
        middle = next(entry.key for n, entry in enumerate(keeper.index.all_entries(name)) if n == 25_000)
        keeper.close()
        index = SqliteIndex(vault.root / FOLDER)

        def page() -> None:
            loader = Loader(vault, *name.split("/"))
            entries = index.page(name, after=middle, limit=200)
            loader.read_ahead(entries)
            assert sum(len(loader.text(entry)) for entry in entries) > 100_000

        seconds = _best(page) * 1000
        index.close()
    return Figure(
        "a page of 200 of 50,000 messages, ms", seconds, f"≤ {PAGE_TARGET_MS}", seconds <= PAGE_TARGET_MS, "with texts"
    )


def size(what: str, folder: Path, *, is_judged: bool = True) -> Figure:
    """Returns the size of the index relative to the text that it indexes."""
    with tempfile.TemporaryDirectory() as home:
        _chorus("sync", str(folder), "--vault", home)
        vault = FileVault(Path(home))
        text = sum(
            len(put.document.text.encode())
            for kept in conversations(vault)
            for writing in OpenConversation(vault, kept).writings(kept, saved_since=_NEVER)
            for put in writing.put
            if put.document
        )
        taken = Path(home, FOLDER, "index.db").stat().st_size
    ratio = taken / text
    detail = f"{taken / 1e6:.1f} MB for {text / 1e6:.1f} MB of text"
    is_met = ratio <= SIZE_TARGET if is_judged else None
    return Figure(f"index against its text, {what}", ratio, f"≤ {SIZE_TARGET}", is_met, detail)


def _queries() -> list[str]:
    chance = random.Random(11)
    words = vocabulary()
    ranks = [0, 1, 2, 5, 10, 30, 100, 300, 1000, 3000, 10_000]
    found: list[str] = []
    fields = (
        "tool:Bash",
        "role:user",
        "is:error",
        "model:opus",
        "workspace:project-00000003",
        "file:m7.py",
        "after:30d",
    )
    while len(found) < 200:
        word, other = words[chance.choice(ranks)], words[chance.choice(ranks)]
        found += [
            word,
            f"{word} {other}",
            f'"{word} {other}"',
            f"{word[:3]}*",
            f"{word} {chance.choice(fields)}",
            f"{chance.choice(fields)} {chance.choice(fields)}",
            f"{word} -{other}",
            f"{word} OR {other}",
        ]
    return found[:200]


def _chorus(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "chorus", *arguments], capture_output=True, check=True)


def _best(act: Callable[[], object], rounds: int = 5) -> float:
    return in_turns({"it": act}, rounds, time.perf_counter)["it"]
