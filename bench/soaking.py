"""Many panes that print records for minutes: what is lost, and the processor time beside a bare control-mode reader.

Both readers are attached to the same tmux server at the same time, each in a process of its own (`bench.pane_readers`).
The bare one splits the lines of tmux, unescapes them, and drops them.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bench.measure import Figure
from chorus.testing.builders import Run
from tests.support.panes import PaneServer, missing, pane_server

PANES, RATE, SECONDS = 30, 1_000, 120
TARGET = 1.5
_PRINTING = """
import pathlib, sys, time
lines = pathlib.Path(sys.argv[1]).read_bytes().splitlines(keepends=True)
go, rate, step = pathlib.Path(sys.argv[2]), int(sys.argv[3]), 0.02
sys.stdout.buffer.write(lines[0])
sys.stdout.flush()
while not go.exists():
    time.sleep(0.05)
began, done = time.monotonic(), 1
while done < len(lines):
    due = min(len(lines), 1 + int((time.monotonic() - began) * rate))
    sys.stdout.buffer.write(b"".join(lines[done:due]))
    sys.stdout.flush()
    done = due
    time.sleep(step)
time.sleep(3600)
"""
"""Prints one record, and after a sign so many more a second."""
_QUIET_S = 5.0
"""A reader that wrote nothing for so long has caught up."""
_PATIENCE_S = 600.0


class Read(NamedTuple):
    """What a reader did: processor time in seconds, and bytes that panes printed."""

    processor_s: float
    size: int


def soaking(seconds: int = SECONDS) -> Iterator[Figure]:
    """Yields how many rows are missing or there twice, and the ratio of the processor times."""
    if (why := missing()) is not None:
        print(f"{'skipped':8}{'':10}  {'':8}  panes that print ({why})")
        return
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        ours, bare, took_s = _run(root, seconds)
        wrong = sum(_wrong(path, RATE * seconds) for path in sorted((root / "panes").glob("*.jsonl")))
        count = len(list((root / "panes").glob("*.jsonl")))
    rows = f"{PANES} panes of {RATE * seconds:,} rows in {took_s:.0f} s, {ours.size / 1e6:.0f} MB"
    wrong += (PANES - count) * RATE * seconds
    yield Figure("panes: rows that are missing, changed or there twice", wrong, "≤ 0", wrong == 0, rows)
    ratio = ours.processor_s / bare.processor_s
    detail = f"{ours.processor_s:.1f} s against {bare.processor_s:.1f} s"
    yield Figure("panes: processor time against a bare reader", ratio, f"≤ {TARGET}", ratio <= TARGET, detail)


def _run(root: Path, seconds: int) -> tuple[Read, Read, float]:
    with pane_server() as server:
        data = _records(root, RATE * seconds)
        go = root / "go"
        program = [sys.executable, "-S", "-c", _PRINTING]
        for number, path in enumerate(data):
            _open(server, [*program, str(path), str(go), str(RATE)], is_first=number == 0)
        with _reader("ours", server, root) as ours, _reader("bare", server, root) as bare:
            go.touch()
            began = time.monotonic()
            _await_end(root, server, seconds)
            took_s = time.monotonic() - began
            _await_quiet(root)
            return _asked(ours), _asked(bare), took_s


def _open(server: PaneServer, call: list[str], *, is_first: bool) -> None:
    if is_first:
        server.open(*call, session="soak", width=120)
    else:
        server.run("new-window", "-d", "-t", "soak:", "--", *call)


def _records(root: Path, rows: int) -> list[Path]:
    """Writes what each pane prints: the beginning of a session, and numbered rows of about 200 bytes."""
    made: list[Path] = []
    for number in range(PANES):
        session = f"50a40000-0000-4000-8000-{number:012d}"
        run = Run(session)
        run.init()
        path = root / f"printed-{number}"
        with path.open("wb") as file:
            file.write(bytes(run))
            for n in range(rows):
                row = {"type": "system", "subtype": "status", "session_id": session, "uuid": f"u-{number}-{n}", "n": n}
                file.write(json.dumps(row | {"words": "and so on " * 5 + "漢字"}, ensure_ascii=False).encode() + b"\n")
        made.append(path)
    return made


def _await_end(root: Path, server: PaneServer, seconds: int) -> None:
    """Waits until every pane shows its last row."""
    end = time.monotonic() + seconds + _PATIENCE_S
    time.sleep(seconds)
    last = f'"n": {RATE * seconds - 1},'
    for pane in server.run("list-panes", "-s", "-t", "soak", "-F", "#{pane_id}").split():
        while last not in server.screen(pane):
            if time.monotonic() > end:
                raise TimeoutError(f"pane {pane} did not print everything")
            time.sleep(0.5)


def _await_quiet(root: Path) -> None:
    size, since = -1, time.monotonic()
    while time.monotonic() - since < _QUIET_S:
        now = sum(path.stat().st_size for path in (root / "panes").iterdir())
        if now != size:
            size, since = now, time.monotonic()
        time.sleep(0.5)


@contextmanager
def _reader(kind: str, server: PaneServer, root: Path) -> Iterator[subprocess.Popen[str]]:
    """Starts a reader; yields its process when it is attached and follows every pane."""
    call = [sys.executable, "-m", "bench.pane_readers", kind, str(server.socket), str(root), str(PANES)]
    with subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n", f"{kind} did not start"
            yield process
        finally:
            process.kill()


def _asked(process: subprocess.Popen[str]) -> Read:
    said, _ = process.communicate("\n")
    return Read(*json.loads(said))


def _wrong(path: Path, rows: int) -> int:
    """Returns how many rows of a pane are missing, changed or there twice."""
    seen = [0] * rows
    others = 0
    for line in path.read_bytes().splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            others += 1
            continue
        if record.get("subtype") == "status" and record["words"].endswith("漢字"):
            seen[record["n"]] += 1
    return others + sum(count != 1 for count in seen)


if __name__ == "__main__":
    for figure in soaking(int(sys.argv[1]) if len(sys.argv) > 1 else SECONDS):
        print(f"{figure.value:.2f}  {figure.target:6} {figure.name} ({figure.detail})", flush=True)
