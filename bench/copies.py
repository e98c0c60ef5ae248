"""Compares many copies of one session, such as a folder of backups, with as many different sessions."""

import tempfile
from pathlib import Path

from bench.commands import cpu_of
from bench.measure import Figure
from chorus.testing.builders import Session, tool_use

TARGET = 1.1
COPIES, MESSAGES = 100, 150


def copies(rounds: int) -> Figure:
    """Returns the processor time of a first `sync` of copies relative to that of different sessions."""
    with tempfile.TemporaryDirectory() as folder:
        sources = {is_same: _written(Path(folder) / str(is_same), is_same=is_same) for is_same in (True, False)}
        cost = {is_same: float("inf") for is_same in sources}
        for _ in range(rounds):
            for is_same, source in sources.items():
                cost[is_same] = min(cost[is_same], cpu_of(("sync", str(source))))
    ratio = cost[True] / cost[False]
    detail = f"{COPIES} files of {2 * MESSAGES} messages: {cost[True]:.2f} s and {cost[False]:.2f} s"
    return Figure("copies of one session against different ones, sync", ratio, f"≤ {TARGET}", ratio <= TARGET, detail)


def _written(folder: Path, *, is_same: bool) -> Path:
    for number in range(COPIES):
        session = Session(f"{0 if is_same else number:08x}-0000-4000-8000-000000000000")
        for n in range(MESSAGES):
            session.user(f"please look at part {n} " + "and tell what you see " * 4)
            call = f"toolu_{n}" if is_same else f"toolu_{number}_{n}"
            session.assistant(tool_use("Bash", {"command": f"head -{n} notes"}, id=call))
        path = folder / f"backup{number}" / f"{session.id}.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(bytes(session))
    return folder
