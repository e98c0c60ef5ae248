"""A conversation that goes on: what a new line costs the index, and whether that depends on what came before."""

import tempfile
import time
from pathlib import Path

from bench.measure import Figure
from chorus.indexing.keeping import IndexKeeper
from chorus.store.files import FileVault
from chorus.testing.builders import Session
from chorus.testing.indexes import keep, name_of

TARGET = 2.0
SHORT, LONG = 1_000, 16_000
_LINES = 60
_ALWAYS = "0000"


def growing() -> list[Figure]:
    """Processor time of a line into a conversation of 16,000 messages against one of 1,000; and the first line."""
    short, _ = _costs(SHORT)
    long, first = _costs(LONG)
    ratio = long / short
    detail = f"{short * 1000:.2f} ms into {SHORT:,} messages, {long * 1000:.2f} ms into {LONG:,}"
    return [
        Figure("a new line, by the length before it", ratio, f"≤ {TARGET}", ratio <= TARGET, detail),
        Figure("the first line a process takes, s", first, "", None, f"into {LONG:,} messages; not held ready"),
    ]


def _costs(messages: int) -> tuple[float, float]:
    """The median cost of a line once the conversation is open, and what opening it takes."""
    with tempfile.TemporaryDirectory() as home:
        vault = FileVault(Path(home))
        talk = Session()
        for n in range(messages // 2):
            talk.user(f"prompt {n} " + "word " * 40)
            talk.assistant(f"answer {n} " + "word " * 100)
        keep(vault, talk)
        keeper = IndexKeeper(vault, saved_since=_ALWAYS)
        keeper.catch_up()
        keeper.close()
        keeper = IndexKeeper(vault, saved_since=_ALWAYS)
        costs = [_one_more(vault, talk, keeper) for _ in range(_LINES)]
        keeper.close()
    return sorted(costs[1:])[_LINES // 2], costs[0]


def _one_more(vault: FileVault, talk: Session, keeper: IndexKeeper) -> float:
    talk.user("one more " + "word " * 40)
    keep(vault, talk)
    start = time.process_time()
    keeper.take([name_of(talk)])
    return time.process_time() - start
