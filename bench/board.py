"""Measures a look at a board of 2,000 conversations: after nothing changed, and after one conversation changed."""

import gc
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from bench.measure import Figure
from chorus.find.costs.conversation_costs import Costs
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.index.sqlite.opening import FOLDER
from chorus.find.indexing.writer import index_writer
from chorus.keep.vault.files import FileVault
from chorus.show.board.board_reader import BoardReader
from chorus.show.board.live_state import live_state
from chorus.testing.builders import Session, tool_use
from chorus.testing.builders.lines import Clock
from chorus.testing.indexes import keep

CONVERSATIONS = 2_000
_MAX_MS = 50
_ROUNDS = 5
_SHOWN = 1_987
"""A conversation of the last day, which the board therefore shows."""


def board() -> Iterator[Figure]:
    """Yields the times of looks in milliseconds, and how many conversations a look after one change read."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        vault = FileVault(root)
        sessions = [_session(number) for number in range(CONVERSATIONS)]
        for session in sessions:
            keep(vault, session)
        _catch_up(vault)
        reader, index, now = BoardReader(vault, Costs(root)), SqliteIndex(root / FOLDER), datetime.now(UTC)
        live = live_state((), (), ())
        first_ms = _timed_ms(lambda: reader.look(index, live, now))
        unchanged_ms = min(_timed_ms(lambda: reader.look(index, live, now)) for _ in range(_ROUNDS))
        read_before, changed_ms = reader.read_conversations, float("inf")
        for round_number in range(_ROUNDS):
            sessions[_SHOWN].user(f"More, part {round_number}.")
            keep(vault, sessions[_SHOWN])
            _catch_up(vault)
            changed_ms = min(changed_ms, _timed_ms(lambda: reader.look(index, live, now)))
        read_each = (reader.read_conversations - read_before) / _ROUNDS
        index.close()
        vault.close()
    detail = f"{CONVERSATIONS:,} conversations; the first look took {first_ms:.0f} ms"
    yield Figure("board: a look without a change, ms", unchanged_ms, f"≤ {_MAX_MS}", unchanged_ms <= _MAX_MS, detail)
    yield Figure("board: a look after one change, ms", changed_ms, f"≤ {_MAX_MS}", changed_ms <= _MAX_MS, detail)
    yield Figure("board: conversations read after one change", read_each, "≤ 1", read_each <= 1, "the others are known")


def _session(number: int) -> Session:
    day = 1 + number % 28
    session = Session(f"b0a2d000-0000-4000-8000-{number:012d}", clock=Clock(f"2026-02-{day:02d}T09:00:00.000Z"))
    session.user(f"Do part {number}.")
    session.assistant("I look.", tool_use("Bash", {"command": f"make part{number}"}, id=f"toolu_{number}"))
    if number % 3:
        session.tool_result(f"toolu_{number}", "done")
        session.assistant("Done.", stop="end_turn")
    return session


def _catch_up(vault: FileVault) -> None:
    with index_writer(vault, datetime.now(UTC)) as keeper:
        assert keeper is not None
        keeper.catch_up()


def _timed_ms(act: Callable[[], object]) -> float:
    gc.collect()
    began = time.process_time()
    act()
    return (time.process_time() - began) * 1000


if __name__ == "__main__":
    for figure in board():
        print(f"{figure.value:.1f}  {figure.target:6} {figure.name} ({figure.detail})")
