"""`regex:` over 80 MB of text: the time to the first hits when they are the oldest entries."""

import random
import shutil
import time
from datetime import UTC, datetime
from pathlib import Path

from bench.corpora import cache_folder
from bench.measure import Figure, in_turns
from bench.million import vocabulary
from chorus.core.query.parse import parse
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.index.sqlite.schema import SCHEMA
from chorus.find.indexing.index_keeper import FOLDER, IndexKeeper
from chorus.find.search.answers import find
from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Session
from chorus.testing.builders.lines import Clock, Ids
from chorus.testing.indexes import keep

FIRST_TARGET_S = 0.5
SESSIONS, MESSAGES, CHARS = 100, 400, 2_000
NARROWED = (r"E[0-9]{4}: disk", r"quota (was )?exceeded", r"fatal: e\d+", r"disk\s+quota|no space left")
_NOW = datetime(2026, 6, 1, tzinfo=UTC)
_NEVER = "9999"


def patterns() -> list[Figure]:
    """Measures the slowest of some patterns that the index can narrow down, and a pattern that needs all texts."""
    root = _vault()
    vault = FileVault(root)
    index = SqliteIndex(root / FOLDER)

    def first_hits(pattern: str) -> None:
        found = find(index, vault, parse(f"regex:/{pattern}/i", now=_NOW), limit=20).found
        assert len(found) == 20 or pattern not in NARROWED

    best = in_turns({each: lambda each=each: first_hits(each) for each in NARROWED}, 3)
    start = time.process_time()
    first_hits(r"\d\d:\d\d!")
    every = time.process_time() - start
    index.close()
    slowest = max(best.values())
    detail = f"{SESSIONS * MESSAGES * CHARS / 1e6:.0f} MB of text; to read all of it takes {every:.1f} s"
    return [
        Figure("first 20 hits of a pattern, s", slowest, f"≤ {FIRST_TARGET_S}", slowest <= FIRST_TARGET_S, detail),
        Figure("the same against reading all texts", slowest / every, "", None, detail),
    ]


def _vault() -> Path:
    """Returns a vault of texts from 30,000 words, built once; only its first conversation contains the hits."""
    root = cache_folder() / f"patterns-{SCHEMA}"
    if (root / FOLDER / "index.db").exists():
        return root
    print(f"Writing {SESSIONS} conversations to {root}", flush=True)
    shutil.rmtree(root, ignore_errors=True)
    vault = FileVault(root)
    chance = random.Random(3)
    words = vocabulary()
    pool = " ".join(chance.choices(words, [1 / (n + 3) for n in range(len(words))], k=400_000))
    for number in range(SESSIONS):
        name = f"{number:08x}-0000-4000-8000-000000000000"
        talk = Session(
            name, clock=Clock(f"2026-{1 + number // 28:02}-{1 + number % 28:02}T00:00:00.000Z"), ids=Ids(name)
        )
        for n in range(MESSAGES):
            start = chance.randrange(len(pool) - CHARS)
            needle = " Fatal: E4711: disk quota was exceeded " if not number and n % 10 == 0 else " "
            talk.user(pool[start : start + CHARS // 2] + needle + pool[start + CHARS // 2 : start + CHARS])
        keep(vault, talk)
    keeper = IndexKeeper(vault, saved_since=_NEVER)
    keeper.catch_up()
    keeper.close()
    return root
