"""Reading one long conversation: opening it, a page of rows, the cost of one more line. `python -m bench.pages`.

Measures processor time: all work runs on one core, on files that are in memory.
"""

import gc
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

from bench.measure import Figure, in_turns
from chorus.find.costs.conversation_costs import Costs
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.indexing.index_keeper import FOLDER, IndexKeeper
from chorus.keep.vault.files import FileVault
from chorus.show.transcripts.changes import changed_rows
from chorus.show.transcripts.open_transcripts import OpenTranscripts
from chorus.show.transcripts.page import page
from chorus.testing.builders import Session, thinking, tool_use
from chorus.testing.indexes import keep, name_of

MESSAGES = 50_000
OPEN_TARGET_S, OPEN_TARGET_MB, PAGE_TARGET_MS, GROWTH_TARGET = 0.5, 30, 10, 1.5
_NEVER = "9999"


def figures() -> Iterator[Figure]:
    """Measures conversations of 50,000 messages: half prompts and half answers, or turns of nine calls each."""
    yield from _reading("prompts and answers", _prompts(MESSAGES), is_held=True)
    yield from _reading("turns of nine calls", turns(MESSAGES), is_held=False)
    short, long = (_one_more_line(_prompts(length)) for length in (MESSAGES // 50, MESSAGES))
    yield Figure(
        "one more line, of 50,000 messages against 1,000",
        long / short,
        f"≤ {GROWTH_TARGET}",
        long <= short * GROWTH_TARGET,
        f"{long * 1000:.2f} ms against {short * 1000:.2f} ms, to take it in and render its row",
    )


def _reading(what: str, talk: Session, *, is_held: bool) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as home:
        vault = _kept(Path(home), talk)
        index = SqliteIndex(vault.root / FOLDER)
        name = name_of(talk)

        def opened() -> OpenTranscripts:
            transcripts = OpenTranscripts(vault, Costs(vault.root))
            assert transcripts.of(index, name)
            return transcripts

        seconds = in_turns({"it": opened}, 5)["it"]
        tracemalloc.start()
        transcripts = opened()
        gc.collect()
        megabytes = tracemalloc.get_traced_memory()[0] / 1e6
        tracemalloc.stop()
        transcript = transcripts.of(index, name)
        assert transcript is not None
        middle = transcript.all[len(transcript.all) // 2].id

        def some() -> None:
            found = transcripts.of(index, name)
            shown = page(found, index, at=middle, limit=200) if found else None
            assert len(shown.rows if shown else ()) == 200

        page_ms = in_turns({"it": some}, 9)["it"] * 1000
        entries = f"{len(transcript.all):,} entries"
        index.close()
    yield Figure(
        f"open, {what}, s", seconds, f"≤ {OPEN_TARGET_S}", seconds <= OPEN_TARGET_S if is_held else None, entries
    )
    yield Figure(
        f"held open, {what}, MB", megabytes, f"≤ {OPEN_TARGET_MB}", megabytes <= OPEN_TARGET_MB if is_held else None, ""
    )
    is_met = page_ms <= PAGE_TARGET_MS if is_held else None
    yield Figure(f"a page of 200 rows, {what}, ms", page_ms, f"≤ {PAGE_TARGET_MS}", is_met, "from its middle, warm")


def _one_more_line(talk: Session) -> float:
    """Returns the seconds to find a new line in the index and to render the row it changed; the best of several."""
    with tempfile.TemporaryDirectory() as home:
        vault = _kept(Path(home), talk)
        keeper = IndexKeeper(vault, saved_since="2026")
        transcripts = OpenTranscripts(vault, Costs(vault.root))
        name = name_of(talk)
        assert transcripts.of(keeper.index, name)
        best = float("inf")
        for number in range(12):
            line = talk.user(f"one more {number}")
            keep(vault, talk)
            keeper.take([name])
            start = time.process_time()
            opened = transcripts.of(keeper.index, name)
            rows, _, _ = changed_rows(opened, keeper.index, [line["uuid"]]) if opened else ((), (), True)
            best = min(best, time.process_time() - start)
            assert len(rows) == 1
        keeper.close()
    return best


def _kept(home: Path, talk: Session) -> FileVault:
    vault = FileVault(home)
    keep(vault, talk)
    keeper = IndexKeeper(vault, saved_since=_NEVER)
    keeper.catch_up()
    keeper.close()
    return vault


def _prompts(messages: int) -> Session:
    talk = Session()
    for number in range(messages // 2):
        talk.user(f"prompt {number} " + "word " * 60)
        talk.assistant(f"answer {number} " + "word " * 200)
    return talk


def turns(messages: int) -> Session:
    """Returns a session in which each call and each result is a separate line, as a client writes them."""
    talk = Session()
    for number in range(messages // 20):
        talk.user(f"prompt {number} " + "word " * 60)
        for step in range(9):
            call = f"toolu_{number:06d}{step}"
            words = f"step {number} " + "word " * 40
            talk.assistant(thinking("hm " * 30), words, tool_use("Bash", {"command": f"ls {number}"}, id=call))
            output = "out " * 300
            talk.tool_result(call, output, structured={"stdout": output, "stderr": "", "interrupted": False})
        talk.assistant("done " * 20, stop="end_turn")
        talk.system("turn_duration", durationMs=5)
    return talk


if __name__ == "__main__":
    for figure in figures():
        verdict = {None: "", True: "met", False: "MISSED"}[figure.is_met]
        print(f"{verdict:8}{figure.value:10.3f}  {figure.target:8}  {figure.name} ({figure.detail})", flush=True)
