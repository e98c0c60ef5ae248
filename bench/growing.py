"""Growing conversations: the cost of a new line for the index, and whether it depends on the lines before it."""

import tempfile
import time
from pathlib import Path

from bench.measure import Figure
from chorus.find.indexing.index_keeper import IndexKeeper
from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Session
from chorus.testing.indexes import keep, name_of

TARGET = 2.0
SHORT, LONG = 1_000, 16_000
LIVE = (1, 8, 9, 20, 100)
_LINES = 60
_ALWAYS = "0000"


def growing() -> list[Figure]:
    """Compares the processor time of a new line in a conversation of 16,000 messages with one of 1,000; also returns
    the time of the first line."""
    short, _ = _costs(SHORT)
    long, first = _costs(LONG)
    ratio = long / short
    detail = f"{short * 1000:.2f} ms into {SHORT:,} messages, {long * 1000:.2f} ms into {LONG:,}"
    return [
        Figure("a new line, by the length before it", ratio, f"≤ {TARGET}", ratio <= TARGET, detail),
        Figure("the first line a process takes, s", first, "", None, f"into {LONG:,} messages; not held ready"),
    ]


def many() -> Figure:
    """Compares the processor time of a line when up to 100 conversations grow in turn with that of only one."""
    cost = {live: _in_turn(live) for live in LIVE}
    worst = max(cost.values()) / cost[LIVE[0]]
    detail = ", ".join(f"{live} live: {taken * 1000:.2f} ms" for live, taken in cost.items())
    return Figure("a new line, by how many conversations are live", worst, f"≤ {TARGET}", worst <= TARGET, detail)


def _in_turn(live: int) -> float:
    """Returns the average cost of a line when so many conversations grow in turn."""
    with tempfile.TemporaryDirectory() as home:
        vault = FileVault(Path(home))
        talks = [Session(f"5e551011-0000-4000-8000-{n:012d}") for n in range(live)]
        for talk in talks:
            for n in range(100):
                talk.user(f"prompt {n} " + "word " * 40)
                talk.assistant(f"answer {n} " + "word " * 100)
            keep(vault, talk)
        keeper = IndexKeeper(vault, saved_since=_ALWAYS)
        keeper.catch_up()
        keeper.make_ready(_ALWAYS)
        rounds = max(3, _LINES // live)
        spent = sum(_one_more(vault, talk, keeper) for _ in range(rounds) for talk in talks)
        keeper.close()
    return spent / (rounds * live)


def _costs(messages: int) -> tuple[float, float]:
    """Returns the median cost of a line once the conversation is open, and the cost of opening it."""
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
