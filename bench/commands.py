"""Measures whole commands as processes: start-up, two cores, peak memory."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.corpora import session_files, size_mb
from bench.measure import Figure, in_turns
from chorus.lab.census import parallel
from chorus.lab.census.stats import Stats

MEMORY_TARGET_MB = 200
START_TARGET = 5.0
TWO_CORES_TARGET = 1.5

_RUN_AND_TELL_MEMORY = """
import json, resource, sys
from chorus.cli.main import main
code = main(sys.argv[1:])
unit = 1 if sys.platform == "darwin" else 1024
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
try:
    # Memory that this process inherited from its parent does not count.
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    peak = int(status["VmHWM"].split()[0]) * 1024
except OSError:
    pass
worker = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit
print(json.dumps({"code": code, "main": peak, "worker": worker}), file=sys.stderr)
"""


def memory(command: str, folder: Path) -> Figure:
    """Returns the peak memory of a command over many files: main process plus workers, as if all peaked at once."""
    told, seconds = peak_of(command, str(folder), "--json")
    workers = parallel.MAX_WORKERS if told["worker"] else 0
    total = (told["main"] + workers * told["worker"]) / 1e6
    megabytes = size_mb(session_files(folder))
    parts = f"main {told['main'] / 1e6:.0f} MB + {workers} × {told['worker'] / 1e6:.0f} MB"
    detail = f"{megabytes:.0f} MB in {seconds:.1f} s; {parts}"
    return Figure(f"peak memory of {command}, MB", total, f"≤ {MEMORY_TARGET_MB}", total <= MEMORY_TARGET_MB, detail)


def peak_of(*arguments: str) -> tuple[dict[str, int], float]:
    """Returns the peak memory in bytes of a command and of its largest worker, and how long it took."""
    start = time.perf_counter()
    call = [sys.executable, "-c", _RUN_AND_TELL_MEMORY, *arguments]
    outcome = subprocess.run(call, capture_output=True, text=True, check=True)
    return json.loads(outcome.stderr.splitlines()[-1]), time.perf_counter() - start


def two_cores(folder: Path, rounds: int) -> Figure:
    """Compares stats with two worker processes, including their start, with counting in one process."""
    names = session_files(folder)
    best = in_turns({"one": lambda: _count(names, 1), "two": lambda: _count(names, 2)}, rounds, time.perf_counter)
    ratio = best["one"] / best["two"]
    detail = f"{size_mb(names):.0f} MB: one {best['one']:.1f} s, two {best['two']:.1f} s"
    return Figure("stats on two cores against one", ratio, f"≥ {TWO_CORES_TARGET}", ratio >= TWO_CORES_TARGET, detail)


def start_up(rounds: int) -> Figure:
    """Compares `chorus --help` with a Python interpreter that does nothing."""

    def run(*arguments: str) -> None:
        subprocess.run([sys.executable, *arguments], capture_output=True, check=True)

    contestants = {"pass": lambda: run("-c", "pass"), "help": lambda: run("-m", "chorus", "--help")}
    best = in_turns(contestants, rounds * 4, time.perf_counter)
    ratio = best["help"] / best["pass"]
    detail = ", ".join(f"{name} {seconds * 1000:.0f} ms" for name, seconds in best.items())
    return Figure("start-up of --help against python", ratio, f"≤ {START_TARGET:g}", ratio <= START_TARGET, detail)


def _count(names: Sequence[str], workers: int) -> None:
    before, parallel.MAX_WORKERS = parallel.MAX_WORKERS, workers
    try:
        parallel.count(Stats, names, advance=lambda _: None, failed=lambda error: print(error, file=sys.stderr))
    finally:
        parallel.MAX_WORKERS = before


def cpu_of(words: Iterable[str]) -> float:
    """Returns the processor time of a Chorus command and its workers, with a temporary home."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "CHORUS_HOME": home, "HOME": home}
        before = children_cpu()
        call = [sys.executable, "-m", "chorus", *words]
        subprocess.run(call, env=environment, stdout=subprocess.DEVNULL, check=True, cwd=home)
        return children_cpu() - before


def children_cpu() -> float:
    """Returns the processor time of all child processes so far, in seconds."""
    taken = resource.getrusage(resource.RUSAGE_CHILDREN)
    return taken.ru_utime + taken.ru_stime
