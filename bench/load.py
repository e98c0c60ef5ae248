"""Many live sessions for minutes: measures the delay from a line to the sockets, memory and searches over time.

`python -m bench.load --seconds 600` prints a row of comma-separated figures for every ten seconds. Sessions are
written by this process, read by another one (`bench.load_readers`), and served by a third.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from bench.live import Door
from bench.measure import Figure
from chorus.keep.vault.keys import workspace_id
from chorus.testing.builders import Session, encode_all, tool_use
from chorus.testing.builders.lines import Clock
from tests.e2e.support.serving import Serving

SESSIONS, RATE, READERS, SECONDS = 20, 1_000, 5, 600
WINDOW_S = 10
MAX_P99_MS, MAX_RSS_MB, MAX_SEARCH_MS = 1_000, 250, 200
MARK = "@MARK@"
_HEADER = "t_s,lines,heard,p50_ms,p99_ms,search_p99_ms,rss_mb,server_cpu,beside_cpu,load"
_BATCH_S = 0.02


class Window(NamedTuple):
    """The figures of ten seconds."""

    at_s: float
    lines: int
    heard: int
    p50_ms: float
    p99_ms: float
    search_p99_ms: float
    rss_mb: float
    server_cpu: float
    beside_cpu: float
    """The processor time of `chorus sync --watch` next to the server."""
    load: float

    def row(self) -> str:
        return (
            f"{self.at_s:.0f},{self.lines},{self.heard},{self.p50_ms:.0f},{self.p99_ms:.0f},{self.search_p99_ms:.0f},"
            f"{self.rss_mb:.0f},{self.server_cpu:.2f},{self.beside_cpu:.2f},{self.load:.1f}"
        )


def load(
    seconds: int = SECONDS, *, sessions: int = SESSIONS, rate: int = RATE, readers: int = READERS, beside: bool = False
) -> Iterator[Window]:
    """Writes lines and yields the figures of each window; with `beside`, `chorus sync --watch` runs too."""
    with tempfile.TemporaryDirectory() as folder:
        serving = Serving(Path(folder))
        talks = [Growing(n) for n in range(sessions)]
        for talk in talks:
            talk.path = serving.write(talk.session)[0]
        watching = _watching(serving) if beside else None
        serving.start()
        try:
            with _readers(serving, talks, readers, seconds) as process:
                pids = [serving.pid, watching.pid] if watching is not None else [serving.pid]
                yield from _windows(pids, talks, process, seconds, rate)
        finally:
            serving.kill()
            if watching is not None:
                watching.terminate()
                watching.wait()


class Growing:
    """A growing session: a prompt, an answer, a call and its result, repeatedly."""

    def __init__(self, n: int) -> None:
        start = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
        self.session = Session(f"5e551011-0000-4000-8000-{n:012d}", clock=Clock(start, step_ms=20))
        self.session.user("begin")
        self.path = Path()
        self._n = 0
        self._call = ""

    @property
    def name(self) -> str:
        return f"{workspace_id(self.session.cwd)}/main/{self.session.id}"

    def next(self) -> bytes:
        """Returns the next line, which contains the current time."""
        session, n = self.session, self._n
        session.lines.clear()
        mark = f"mark={time.time_ns()} "
        if n % 4 == 0:
            session.user(f"{mark} please look at part {n} of it " + "and tell what you see " * 6)
        elif n % 4 == 1:
            session.assistant(f"{mark} part {n} holds words such as these " + "several words of an answer " * 12)
        elif n % 4 == 2:
            self._call = session.ids.tool()
            session.assistant(tool_use("Bash", {"command": f"echo {mark} | wc -l # {n}"}, id=self._call))
        else:
            session.tool_result(self._call, f"{mark} line of output\n" * 8)
        self._n += 1
        return encode_all(session.lines)


def _windows(
    pids: list[int], talks: list[Growing], process: subprocess.Popen[str], seconds: int, rate: int
) -> Iterator[Window]:
    """Writes lines and yields the figures of each window; `pids` are the server and the process next to it."""
    assert process.stdout is not None
    start = time.perf_counter()
    written, seen, cpu = 0, 0, list(map(cpu_s, pids))
    due = start + WINDOW_S
    while (now := time.perf_counter()) < start + seconds:
        wanted = int((now - start) * rate)
        some: dict[int, list[bytes]] = {}
        for n in range(written, wanted):
            some.setdefault(n % len(talks), []).append(talks[n % len(talks)].next())
        for n, lines in some.items():
            with talks[n].path.open("ab") as file:
                file.write(b"".join(lines))
        written = wanted
        if now >= due:
            heard = _asked(process)
            spent = list(map(cpu_s, pids))
            shares = [(after - before) / WINDOW_S for after, before in zip(spent, cpu, strict=True)]
            yield _window(now - start, written - seen, heard, pids[0], shares)
            seen, cpu, due = written, spent, due + WINDOW_S
        time.sleep(_BATCH_S)
    time.sleep(2)
    yield _window(time.perf_counter() - start, written - seen, _asked(process), pids[0], [])
    # The memory that remains after the load has ended: the server returns memory to the system.
    time.sleep(WINDOW_S)
    yield _window(time.perf_counter() - start, 0, _asked(process), pids[0], [])


def _window(at_s: float, lines: int, heard: dict[str, Any], pid: int, cpu: list[float]) -> Window:
    return Window(
        at_s,
        lines,
        heard["heard"],
        heard["p50_ms"],
        heard["p99_ms"],
        heard["search_p99_ms"],
        _rss_mb(pid),
        cpu[0] if cpu else 0.0,
        cpu[1] if len(cpu) > 1 else 0.0,
        os.getloadavg()[0],
    )


def _asked(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Returns what the readers received since the last call."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("window\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def _readers(serving: Serving, talks: list[Growing], readers: int, seconds: int) -> subprocess.Popen[str]:
    door = Door(serving, serving.link)
    per_reader = max(1, min(8, len(talks) // readers))
    hellos = []
    for n in range(readers):
        follow = [talk.name for talk in (talks * 2)[n * per_reader % len(talks) :][:per_reader]]
        hellos.append(json.dumps({"type": "hello", "follow": follow, "ticket": door.ticket()}))
    job = {
        "url": f"ws://127.0.0.1:{serving.port}/api/live",
        "origin": serving.url,
        "cookie": door.cookie,
        "hellos": hellos,
        "port": serving.port,
        "seconds": seconds + 60,
    }
    call = [sys.executable, "-m", "bench.load_readers"]
    process = subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(job) + "\n")
    process.stdin.flush()
    assert process.stdout.readline() == "ready\n"
    return process


def _watching(serving: Serving) -> subprocess.Popen[bytes]:
    """Starts `chorus sync --watch` next to the server, as the service does."""
    call = [sys.executable, "-m", "chorus", "sync", "--watch"]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(call, env=serving.environment(), stdout=quiet, stderr=quiet)
    time.sleep(3)
    return process


def _rss_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def figures(seconds: int = SECONDS) -> Iterator[Figure]:
    """Yields the worst values of a run with their targets."""
    windows = []
    print(_HEADER, flush=True)
    for window in load(seconds):
        print(window.row(), flush=True)
        windows.append(window)
    detail = f"{SESSIONS} sessions, {RATE} lines/s, {READERS} readers, {seconds} s"
    loaded = windows[:-1]
    for what, value, most in (
        ("live load: p99 from line to socket, ms", max(each.p99_ms for each in loaded), MAX_P99_MS),
        ("live load: memory of the server, MB", max(each.rss_mb for each in windows), MAX_RSS_MB),
        ("live load: p99 of a search, ms", max(each.search_p99_ms for each in loaded), MAX_SEARCH_MS),
    ):
        yield Figure(what, value, f"≤ {most}", value <= most, detail)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.load", description=__doc__)
    parser.add_argument("--seconds", type=int, default=SECONDS)
    parser.add_argument("--sessions", type=int, default=SESSIONS)
    parser.add_argument("--rate", type=int, default=RATE, help="lines a second, all sessions together")
    parser.add_argument("--readers", type=int, default=READERS)
    parser.add_argument("--beside", action="store_true", help="run `chorus sync --watch` next to the server")
    options = parser.parse_args()
    print(_HEADER, flush=True)
    for window in load(
        options.seconds,
        sessions=options.sessions,
        rate=options.rate,
        readers=options.readers,
        beside=options.beside,
    ):
        print(window.row(), flush=True)


if __name__ == "__main__":
    main()
