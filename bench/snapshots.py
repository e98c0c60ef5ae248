"""Compares snapshots of files with the least that they can cost: the writes themselves, and `git status`."""

import os
import subprocess
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.measure import Figure, in_turns
from chorus.base.git import Repository
from chorus.keep.snapshots.commits import Feed, SnapshotFacts, SnapshotKind
from chorus.keep.snapshots.snapshots import Snapshots

EDIT_TARGET, TURN_TARGET = 2.0, 1.5
EDITS = 40


def snapshots(rounds: int, sizes: tuple[int, ...] = (10_000, 100_000)) -> Iterator[Figure]:
    """Yields the wall-clock ratios of an edit and of the end of a turn, for workspaces of these numbers of files."""
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "work"
            _fill(place, size)
            taken = Snapshots(Path(folder) / "home", "work-1", place)
            taken.take_changes(_facts(SnapshotKind.TURN), "first look")
            yield _edit(taken, place, Path(folder) / "bare", size, rounds)
            yield _turn(taken, place, size, rounds)
            taken.close()


def _edit(taken: Snapshots, place: Path, bare: Path, size: int, rounds: int) -> Figure:
    bare.mkdir()
    target = place / "part0" / "file0.txt"
    best = in_turns(
        {"snapshot": lambda: _snapshots(taken, target), "writes": lambda: _writes(bare, target)},
        rounds,
        time.perf_counter,
    )
    ratio = best["snapshot"] / best["writes"]
    detail = f"{1000 * best['snapshot'] / EDITS:.2f} ms and {1000 * best['writes'] / EDITS:.2f} ms an edit"
    return Figure(f"edit in {size:,} files against its writes", ratio, f"≤ {EDIT_TARGET}", ratio <= EDIT_TARGET, detail)


def _turn(taken: Snapshots, place: Path, size: int, rounds: int) -> Figure:
    status = Repository(place / ".git", place)
    contestants: dict[str, Callable[[], object]] = {
        "turn": lambda: taken.take_changes(_facts(SnapshotKind.TURN), "end"),
        "status": lambda: status.run("status", "--porcelain"),
    }
    best = in_turns(contestants, rounds, time.perf_counter)
    ratio = best["turn"] / best["status"]
    detail = f"{1000 * best['turn']:.0f} ms and {1000 * best['status']:.0f} ms"
    name = f"end of a turn, {size:,} unchanged files, against `git status`"
    return Figure(name, ratio, f"≤ {TURN_TARGET}", ratio <= TURN_TARGET, detail)


def _snapshots(taken: Snapshots, target: Path) -> None:
    for number in range(EDITS):
        target.write_text(f"{time.time_ns()} {number}\n" * 100)
        facts = _facts(SnapshotKind.AFTER, call=f"call-{time.time_ns()}")
        taken.take_files([str(target)], facts, "Edit file0.txt")


def _writes(bare: Path, target: Path) -> None:
    """Writes the same objects: a blob, two trees, a commit and a ref, each durable before the next one."""
    for number in range(EDITS):
        target.write_text(f"{time.time_ns()} {number}\n" * 100)
        data = target.read_bytes()
        for name, content in (("blob", data), ("tree", data[:400]), ("top", data[:200]), ("commit", data[:500])):
            _write(bare / f"{name}-{time.time_ns()}", zlib.compress(content, 1))
        _write(bare / "ref", b"0" * 41)


def _write(path: Path, data: bytes) -> None:
    half = path.with_name(path.name + ".half")
    fd = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.write(fd, data)
    os.fsync(fd)
    os.close(fd)
    half.replace(path)


def _fill(place: Path, size: int) -> None:
    for number in range(size):
        folder = place / f"part{number % (size // 50)}"
        if number < size // 50:
            folder.mkdir(parents=True)
        (folder / f"file{number}.txt").write_text(f"{number}\n" * 20)
    person = {"GIT_CONFIG_GLOBAL": os.devnull, "HOME": str(place), "PATH": os.environ["PATH"]}
    for call in (
        ["init", "-q"],
        # Packing in the background would still write while the folder is deleted.
        ["config", "gc.auto", "0"],
        ["add", "-A"],
        ["-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *call], cwd=place, check=True, env=person)


def _facts(kind: SnapshotKind, call: str = "") -> SnapshotFacts:
    time_ms = time.time_ns() // 1_000_000
    return SnapshotFacts(kind=kind, conversation="bench", time_ms=time_ms, call=call, feed=Feed.CONTROL)
