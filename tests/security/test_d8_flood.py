"""Tests of D8: a client that floods standard output without a newline is slowed down in bounded memory, not killed."""

import sys
import threading
import time
from pathlib import Path

import pytest

from bench.live import Door
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.line import StoredLine
from tests.e2e.support.serving import Serving
from tests.support.running import Place, is_alive, program, until

MB = 1 << 20
MAX_MORE_MB = 64
MAX_P99_S = 0.25
FLOOD = """
import os, sys, time
out, size, rate = 1, int(open({size!r}).read()), {rate}
sys.stdin.readline()
piece, began, done = b"flood " * 174_763, time.monotonic(), 0
while done < size:
    done += os.write(out, piece[:size - done])
    time.sleep(max(0, done / rate - (time.monotonic() - began)))
os.write(out, b"\\n")
print('{{"type":"system","subtype":"status","after":"the flood"}}', flush=True)
open({told!r}, "w").write(str(time.monotonic() - began))
sys.stdin.readline()
"""
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only /proc shows the memory of another process")


def peak_mb(pid: int, field: str = "VmHWM") -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) >> 10


def flooding(folder: Path, size: int, rate: int) -> str:
    """Builds a client that writes this number of bytes at this rate and then continues like any other."""
    (folder / "size").write_text(str(size))
    return program(folder / "claude", FLOOD.format(size=str(folder / "size"), rate=rate, told=str(folder / "told")))


def kept(place: Path, run) -> tuple[int, bytes]:
    """Returns the number of stored bytes of the client's standard output, and the last of them."""
    size, end = 0, b""
    for line in FileVault(place).lines(run.key("out")):
        assert isinstance(line, StoredLine), line
        assert line.head.offset == size
        size += len(line.bytes)
        end = (end + line.bytes)[-200:]
    return size, end


def flood(place: Place, folder: Path, size: int, rate: int, meanwhile=lambda: None) -> tuple[int, float]:
    """Returns the additional megabytes of the holder and the seconds that the flood took."""
    with place.running(flooding(folder, size, rate)) as run_folder:
        run = until(lambda: (found := run_folder.read()) and found.client and found)
        before = peak_mb(run.holder, "VmRSS")
        meanwhile()
        until((folder / "told").exists, 300)
        assert is_alive(run.client) and is_alive(run.holder)
        until(lambda: kept(place.home, run)[0] > size)
        more = peak_mb(run.holder) - before
        found, end = kept(place.home, run)
    after = b'{"type":"system","subtype":"status","after":"the flood"}\n'
    assert found == size + 1 + len(after) and end.endswith(b"\n" + after), (found, end)
    return more, float((folder / "told").read_text())


def test_a_line_without_end_takes_bounded_memory(tmp_path):
    """The whole flood is stored, the next line is separate, and the holder takes at most 64 MB more."""
    more, took = flood(Place(tmp_path), tmp_path, 80 * MB, 10**12)
    print(f"D8: 80 MB without a newline in {took:.1f} s: all kept, holder +{more} MB")
    assert more <= MAX_MORE_MB


@pytest.mark.long
def test_a_flood_of_ten_seconds_delays_nobody(tmp_path):
    """During ten seconds of 200 MB/s the holder stays small, the client survives, and pages are answered."""
    serving = Serving(tmp_path / "serving")
    serving.start()
    try:
        door = Door(serving, serving.link)
        is_over = threading.Event()
        quiet, waits = asked(door, seconds=5), list[float]()
        asking = threading.Thread(target=lambda: waits.extend(asked(door, is_over=is_over)))
        server_before = peak_mb(serving.pid, "VmRSS")
        try:
            place = Place(tmp_path, serving.vault)
            more, took = flood(place, tmp_path, 2_000 * 1_000_000, 200 * 1_000_000, asking.start)
        finally:
            is_over.set()
            asking.join()
        server_more = peak_mb(serving.pid) - server_before
        complaints = serving.complaints()
    finally:
        serving.kill()
    print(
        f"D8: 2,000 MB in {took:.1f} s: all kept, holder +{more} MB, server +{server_more} MB, "
        f"pages p99 {p99(waits) * 1_000:.0f} ms of {len(waits)} (quiet {p99(quiet) * 1_000:.0f} ms)"
    )
    assert more <= MAX_MORE_MB
    assert server_more <= 4 * MAX_MORE_MB, complaints
    assert not complaints
    # The delay of the machine itself does not count.
    assert p99(waits) <= MAX_P99_S + p99(quiet)


def asked(door: Door, seconds: float = 600, is_over: threading.Event | None = None) -> list[float]:
    """Returns the duration of each answer."""
    found = []
    until_s = time.monotonic() + seconds
    while time.monotonic() < until_s and not (is_over and is_over.is_set()):
        began = time.monotonic()
        assert door.get("/api/status") == 200
        found.append(time.monotonic() - began)
        time.sleep(0.02)
    return found


def p99(waits: list[float]) -> float:
    return sorted(waits)[int(len(waits) * 0.99)]
