"""The vault: recording a corpus, a pass with nothing new over many files, memory, and the delay of a live line."""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from threading import Event, Thread

from bench.commands import peak_of
from bench.corpora import session_files, size_mb
from bench.measure import Figure, in_turns
from chorus.core.records.decode import Refused, decode
from chorus.keep.sources.sync import Sync
from chorus.keep.sources.watcher import Stop, changes
from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Session

COLD_TARGET, WARM_TARGET, MEMORY_TARGET_MB = 3.0, 5.0, 150
PACKING_TARGET = 1.3
_MANY_FILES = 10_000
_NOW = "2026-01-01T00:00:00.000Z"


def memory(folder: Path) -> Figure:
    """Returns the peak memory of a first pass over the large corpus."""
    names = session_files(folder)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        peak, seconds = peak_of("sync", str(folder), "--vault", scratch, "--json")
    megabytes = peak["main"] / 1e6
    detail = f"{size_mb(names):.0f} MB in {seconds:.1f} s"
    return Figure("peak memory of sync, MB", megabytes, f"≤ {MEMORY_TARGET_MB}", megabytes <= MEMORY_TARGET_MB, detail)


def cold(folder: Path, rounds: int) -> Figure:
    """Compares a first pass with copying the same files durably and decoding each line once."""
    names = session_files(folder)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        places = iter(range(10**6))

        def keep() -> None:
            root = Path(scratch, f"vault{next(places)}")
            vault = FileVault(root)
            Sync(vault, root, lambda: _NOW).run([folder])
            vault.close()
            shutil.rmtree(root)

        def copy() -> None:
            target = Path(scratch, f"copy{next(places)}")
            _copy_durably(names, folder, target)
            _decode(names)
            shutil.rmtree(target)

        best = in_turns({"keep": keep, "copy": copy}, rounds, time.perf_counter)
    ratio = best["keep"] / best["copy"]
    detail = f"{size_mb(names):.0f} MB: sync {best['keep']:.2f} s, copy and decode {best['copy']:.2f} s"
    return Figure("cold sync against cp + fsync + decode", ratio, f"≤ {COLD_TARGET:g}", ratio <= COLD_TARGET, detail)


def packing(folder: Path) -> Figure:
    """Compares the CPU time of a first pass over files that are sealed at once (older than 30 days) with new files."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        spent = {}
        for name, time_s in (("new", time.time()), ("old", time.time() - 90 * 86_400)):
            copy = shutil.copytree(folder, Path(scratch, name))
            for path in copy.rglob("*.jsonl"):
                os.utime(path, (time_s, time_s))
            call = [sys.executable, "-m", "chorus", "sync", str(copy), "--vault", str(Path(scratch, f"vault-{name}"))]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([*call, "--json"], capture_output=True, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent[name] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    ratio = spent["old"] / spent["new"]
    detail = f"new files {spent['new']:.1f} s, old ones {spent['old']:.1f} s of CPU"
    return Figure(
        "first sync of old files against new ones", ratio, f"≤ {PACKING_TARGET:g}", ratio <= PACKING_TARGET, detail
    )


def warm(rounds: int) -> Figure:
    """Compares a pass with nothing new over many files with `find -newer`."""
    with tempfile.TemporaryDirectory() as scratch:
        projects = Path(scratch, "claude", "projects")
        line = bytes(_one_line())
        for n in range(_MANY_FILES):
            path = projects / f"-p{n % 50}" / f"{n:08x}-0000-4000-8000-000000000000.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(line)
        stamp = Path(scratch, "stamp")
        stamp.write_text("")
        root = Path(scratch, "vault")
        vault = FileVault(root)
        syncing = Sync(vault, root, lambda: _NOW)
        syncing.run([projects.parent])
        find = ["find", str(projects), "-name", "*.jsonl", "-newer", str(stamp)]
        contestants = {
            "sync": lambda: syncing.run([projects.parent]),
            "find": lambda: subprocess.run(find, capture_output=True, check=True),
        }
        best = in_turns(contestants, rounds, time.perf_counter)
        vault.close()
    ratio = best["sync"] / best["find"]
    detail = f"{_MANY_FILES} files: sync {best['sync'] * 1000:.0f} ms, find {best['find'] * 1000:.0f} ms"
    return Figure("warm sync against find -newer", ratio, f"≤ {WARM_TARGET:g}", ratio <= WARM_TARGET, detail)


def latency(lines: int = 200) -> Figure:
    """Compares the p99 delay from a written line to the line in the vault with that of the watcher alone."""
    with tempfile.TemporaryDirectory() as scratch:
        alone = _lags(Path(scratch, "alone"), lines, keeps=False)
        kept = _lags(Path(scratch, "kept"), lines, keeps=True)
    ratio = kept[1] / alone[1]
    detail = f"p50/p99: watcher {alone[0]:.0f}/{alone[1]:.0f} ms, in the vault {kept[0]:.0f}/{kept[1]:.0f} ms"
    return Figure("a live line in the vault against the watcher's own delay", ratio, "", None, detail)


def watcher_lags(lines: int = 200) -> tuple[float, float]:
    """Returns p50 and p99 of the delay from a written line to the watcher's notification, in ms."""
    with tempfile.TemporaryDirectory() as scratch:
        return _lags(Path(scratch), lines, keeps=False)


def _lags(folder: Path, lines: int, *, keeps: bool) -> tuple[float, float]:
    session = _one_line()
    path = folder / "claude" / "projects" / "-p" / f"{session.id}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(bytes(session))
    root = folder / "vault"
    vault = FileVault(root)
    syncing = Sync(vault, root, lambda: _NOW)
    syncing.run([folder / "claude"])
    stop, seen, lags = Stop(), Event(), []

    def follow() -> None:
        for changed in changes([folder / "claude"], stop, print):
            if changed and keeps:
                for one in changed:
                    syncing.look(one)
            if changed:
                seen.set()

    thread = Thread(target=follow)
    thread.start()
    time.sleep(0.5)
    line = bytes(session)
    for _ in range(lines):
        seen.clear()
        start = time.perf_counter()
        with path.open("ab") as file:
            file.write(line)
        if seen.wait(5):
            lags.append((time.perf_counter() - start) * 1000)
        time.sleep(0.01)
    stop.set()
    thread.join()
    vault.close()
    lags.sort()
    return lags[len(lags) // 2], lags[int(len(lags) * 0.99)]


def _one_line() -> Session:
    session = Session()
    session.user("a line")
    return session


def _copy_durably(names: list[str], folder: Path, target: Path) -> None:
    for name in names:
        place = target / Path(name).relative_to(folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(name, place)
        fd = os.open(place, os.O_RDONLY)
        os.fsync(fd)
        os.close(fd)


def _decode(names: list[str]) -> None:
    for name in names:
        for line in Path(name).read_bytes().split(b"\n"):
            try:
                decode(line)
            except Refused:
                continue
