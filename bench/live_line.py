"""The processor time of a live line, step by step and in one thread: `python -m bench.live_line`.

It does what the server does for each batch of lines (record, index, build the frames, search), without the threads and
sockets around it: wall-clock figures of a busy machine say little, processor time says where the work is.
"""

import argparse
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from bench.load import Growing
from bench.load_readers import WORDS
from chorus.core.records.times import wire_time
from chorus.find.costs.conversation_costs import Costs
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.index.sqlite.opening import FOLDER
from chorus.keep.sources.sync import Sync
from chorus.keep.vault.files import FileVault
from chorus.show.recorder.indexing import Indexing
from chorus.show.server.live.teller import LAST, Teller
from chorus.show.server.services.search import search_all
from chorus.show.transcripts.open_transcripts import OpenTranscripts
from chorus.show.transcripts.summary import Summaries
from chorus.testing.builders import lay_out

_Result = TypeVar("_Result")


def live_line(sessions: int = 20, batch: int = 12, rounds: int = 100, warm: int = 200) -> dict[str, float]:
    """Returns the milliseconds of each step: for a line, and for a search.

    `warm` lines are written to each session before. `batch` is how many lines each of them gets at a time.
    """
    spent: dict[str, float] = defaultdict(float)

    def timed(step: str, act: Callable[[], _Result]) -> _Result:
        begun = time.process_time()
        try:
            return act()
        finally:
            spent[step] += time.process_time() - begun

    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        client, home = Path(folder, ".claude"), Path(folder, "home")
        talks = [Growing(n) for n in range(sessions)]
        for talk in talks:
            talk.path = lay_out(client, talk.session)
        vault = FileVault(home)
        syncing = Sync(vault, home, lambda: wire_time(datetime.now(UTC)))
        indexing = stack.enter_context(Indexing(vault, print))
        syncing.run([client])
        indexing.catch_up()
        indexing.make_ready()
        index = SqliteIndex(home / FOLDER, is_lasting=True)
        costs = Costs(home)
        summaries = Summaries(costs, home)
        teller = Teller(summaries, OpenTranscripts(vault, costs, last=LAST))
        names = {talk.name for talk in talks}
        seq = 0

        def grow(lines: int) -> None:
            nonlocal seq
            for talk in talks:
                with talk.path.open("ab") as file:
                    file.write(b"".join(talk.next() for _ in range(lines)))
            found = timed("recorded", lambda: syncing.look(*(talk.path for talk in talks)))
            timed("indexed", lambda: indexing.take(found.looked_at))
            while (step := timed("sent", partial(teller.step, index, index.epoch, seq, names))).changed:
                seq = step.seq

        for _ in range(max(1, warm // 100)):
            grow(100)
        spent.clear()
        for n in range(rounds):
            grow(batch)
            words = WORDS[n % len(WORDS)]
            search = partial(search_all, index, vault, summaries, words, below=None, is_ranked=False, limit=20)
            timed(f"search {words}", search)
        index.close()
    lines, searches = sessions * batch * rounds, rounds / len(WORDS)
    return {step: 1000 * took / (searches if step.startswith("search") else lines) for step, took in spent.items()}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.live_line", description=__doc__)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--batch", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--warm", type=int, default=200)
    options = parser.parse_args()
    for step, ms in live_line(options.sessions, options.batch, options.rounds, options.warm).items():
        print(f"{step}: {ms:.3f} ms")


if __name__ == "__main__":
    main()
