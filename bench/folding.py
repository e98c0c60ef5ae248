"""Compares reading and folding on one core with only decoding the same lines."""

import random
from pathlib import Path

import msgspec

from bench.corpora import session_files, size_mb
from bench.measure import Figure, in_turns
from chorus.core.conversation.fold import Fold
from chorus.core.conversation.route import Router
from chorus.core.records.place import StreamId
from chorus.core.records.record import Record
from chorus.core.records.split import Splitter
from chorus.keep.sources import files
from chorus.testing.builders import Session, wrap
from chorus.testing.builders.session_generator import ERAS, SessionGenerator
from chorus.testing.builders.words import Words

SPEED_TARGET = 0.2
LINEAR_TARGET = 1.25
WRAPPED_BYTES = 800_000
COLUMNS = 80


def fold_file(name: str) -> None:
    """Reads a file from disk and folds all of it, as every command does; drops the changes."""
    router = Router(name)
    folds: dict[str, Fold] = {}
    for piece in files.pieces(name):
        if isinstance(piece, Record):
            for session_id, record in router.route(piece):
                fold = folds.get(session_id)
                if fold is None:
                    fold = folds[session_id] = Fold(session_id)
                fold.feed(record)


def speed(name: str, folder: Path, rounds: int) -> Figure:
    """Returns the speed of read + fold as a share of the speed of an untyped decode of lines that are in memory."""
    names = session_files(folder)
    lines = [line for path in names for line in Path(path).read_bytes().split(b"\n") if line]
    decoder = msgspec.json.Decoder()

    def bare() -> None:
        for line in lines:
            try:
                decoder.decode(line)
            except msgspec.DecodeError:
                continue

    def read() -> None:
        for path in names:
            for _ in files.pieces(path):
                pass

    def full() -> None:
        for path in names:
            fold_file(path)

    best = in_turns({"bare": bare, "read": read, "full": full}, rounds)
    megabytes = size_mb(names)
    ratio = best["bare"] / best["full"]
    rates = ", ".join(f"{what} {megabytes / seconds:.0f} MB/s" for what, seconds in best.items())
    return Figure(f"read + fold, {name}", ratio, f"≥ {SPEED_TARGET}", ratio >= SPEED_TARGET, rates)


def linearity(rounds: int, megabytes: int, folder: Path) -> list[Figure]:
    """Returns the cost of a byte in one conversation of 2× and 4× the size, relative to 1×."""
    sizes = {factor: _long_session(folder / f"{factor}.jsonl", factor * megabytes) for factor in (1, 2, 4)}
    best = in_turns({str(factor): lambda path=path: fold_file(str(path)) for factor, path in sizes.items()}, rounds)
    cost = {factor: best[str(factor)] / path.stat().st_size for factor, path in sizes.items()}
    return [
        Figure(
            f"cost of a byte, one conversation of {factor}× size",
            cost[factor] / cost[1],
            f"≤ {LINEAR_TARGET}",
            cost[factor] / cost[1] <= LINEAR_TARGET,
            f"{sizes[factor].stat().st_size / 1e6:.0f} MB in {best[str(factor)]:.2f} s",
        )
        for factor in (2, 4)
    ]


def wrapped(rounds: int) -> Figure:
    """Compares an event of 800 KB, wrapped by a terminal with 80 columns, with the same event on one line."""
    session = Session()
    session.tool_result("toolu_1", 'All work and no play "makes" Jack\ta dull boy.\n' * (WRAPPED_BYTES // 50))
    whole = bytes(session)
    rows = wrap(whole, COLUMNS)

    def split(data: bytes) -> None:
        splitter = Splitter(StreamId("bench"))
        found = [piece for piece in (*splitter.feed(data), *splitter.close()) if isinstance(piece, Record)]
        assert [record.type for record in found] == ["user"]

    best = in_turns({"one line": lambda: split(whole), "wrapped": lambda: split(rows)}, rounds * 3)
    detail = ", ".join(f"{name} {seconds * 1000:.1f} ms" for name, seconds in best.items())
    ratio = best["wrapped"] / best["one line"]
    return Figure(f"{len(whole) / 1000:.0f} KB event in {COLUMNS} columns against one line", ratio, "", None, detail)


def _long_session(path: Path, megabytes: int) -> Path:
    chance = random.Random(megabytes)
    session = Session()
    era = max(ERAS, key=lambda era: ERAS[era])
    SessionGenerator(session, era, chance, Words(chance)).generate(megabytes * 1_000_000)
    path.write_bytes(bytes(session))
    return path
