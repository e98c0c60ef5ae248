"""Tests of G7: many live sessions for hours lose nothing, although servers are killed, clients crash and disks fill up.

It takes two minutes with `--long`; `CHORUS_SOAK_S=28800` runs the planned eight hours, with their own intervals.
"""

import contextlib
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.load import Growing
from chorus.keep.restore.blobs import blob_names
from chorus.keep.restore.checking import check
from chorus.keep.vault.files import FileVault
from tests.e2e.support.serving import Serving
from tests.keep.sources.keeping import Keeper
from tests.security.roomy import slowdown
from tests.show.server.serving import Browser
from tests.support.running import Place, is_alive, program, until

SOAK_S = int(os.environ.get("CHORUS_SOAK_S", "120"))
KILL_S, FULL_S = min(300.0, SOAK_S / 4), min(3_600.0, SOAK_S / 2)
SESSIONS = 100 if SOAK_S > 1_000 else 20
PER_SESSION = 10
FULL_FOR_S = 3.0
MAX_LAG_S, MAX_MB_PER_HOUR = 1.0, 1.0
DISK = "24g" if SOAK_S > 1_000 else "1g"
MARK = re.compile(r"mark=(\d+)")
CRASHES = 'import os, sys, time\nprint(\'{"type":"system"}\', flush=True)\ntime.sleep(0.5)\nos.abort()'
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="only /proc shows the memory of another process"),
]


class Soak:
    """A server, the sessions that grow beside it, and the measurements."""

    def __init__(self, folder: Path) -> None:
        self.serving = Serving(folder)
        self.talks = [Growing(n) for n in range(SESSIONS)]
        for talk in self.talks:
            talk.path = self.serving.write(talk.session)[0]
        self.lags: list[float] = []
        self.sizes: list[list[tuple[float, float, int]]] = []
        """Of each life of the server: moment, megabytes, open files."""
        self.is_over = threading.Event()

    def write(self) -> None:
        """Lets all sessions grow, whatever happens to the server."""
        began, written = time.monotonic(), 0
        while not self.is_over.is_set():
            wanted = int((time.monotonic() - began) * SESSIONS * PER_SESSION)
            for n in range(written, wanted):
                talk = self.talks[n % SESSIONS]
                with talk.path.open("ab") as file:
                    file.write(talk.next())
            written = wanted
            time.sleep(0.02)

    def listen(self) -> None:
        """Follows one session, and reconnects after each end of the server."""
        while not self.is_over.is_set():
            with contextlib.suppress(Exception):
                browser = Browser(self.serving.port)
                token = self.serving.new_link().partition("#t=")[2]
                assert browser.post("/api/login", {"token": token}).status == 204
                with browser.live(follow=[self.talks[0].name]) as live:
                    while not self.is_over.is_set():
                        text = str(live.socket.recv(timeout=5))
                        self.lags += [time.time() - int(mark) / 1e9 for mark in MARK.findall(text)]
            time.sleep(0.2)

    def sample(self) -> None:
        """Notes the memory and the open files of the server."""
        with contextlib.suppress(OSError, AssertionError):
            place = Path(f"/proc/{self.serving.pid}")
            lines = (place / "status").read_text().splitlines()
            size = next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024
            self.sizes[-1].append((time.monotonic(), size, len(list((place / "fd").iterdir()))))

    def start(self) -> None:
        self.serving.start(waits=False)
        self.sizes.append([])


@contextlib.contextmanager
def disk(folder: Path) -> Iterator[bool]:
    """Mounts a separate file system that can be filled; yields False if that is not possible."""
    folder.mkdir(parents=True, mode=0o700)
    call = ["mount", "-t", "tmpfs", "-o", f"size={DISK},mode=700", "tmpfs", str(folder)]
    is_there = os.geteuid() == 0 and subprocess.run(call, capture_output=True, check=False).returncode == 0
    try:
        yield is_there
    finally:
        if is_there:
            subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path) -> None:
    """Fills the disk for a while."""
    filler = folder / "filler.tmp"
    with contextlib.suppress(OSError), filler.open("wb") as file:
        while True:
            file.write(bytes(1 << 20))
            file.flush()
    time.sleep(FULL_FOR_S)
    filler.unlink()


def crash(place: Place, client: str) -> None:
    """Starts a run whose client crashes, and checks that no process is left."""
    folder = place.start(client)
    until(lambda: not folder.is_held(), 60)
    run = folder.read()
    assert run is not None
    assert run.ending is not None and run.ending.is_failure
    assert not [pid for pid in (run.client, run.warden, run.holder) if pid and is_alive(pid)]


def test_nothing_is_lost_in_a_long_run(tmp_path):
    """Every line is stored once, the vault is undamaged, and the server does not grow."""
    soak = Soak(tmp_path)
    kills = crashes = fulls = 0
    with disk(soak.serving.vault) as can_fill:
        place = Place(tmp_path, soak.serving.vault)
        client = program(tmp_path / "crashing", CRASHES)
        soak.start()
        threads = [threading.Thread(target=soak.write), threading.Thread(target=soak.listen)]
        for thread in threads:
            thread.start()
        try:
            began = time.monotonic()
            kill_at, full_at = began + KILL_S, began + FULL_S * 0.75
            while time.monotonic() < began + SOAK_S:
                soak.sample()
                time.sleep(1)
                if time.monotonic() >= kill_at:
                    kill_at += KILL_S
                    crash(place, client)
                    crashes += 1
                    soak.serving.kill()
                    soak.start()
                    kills += 1
                if can_fill and time.monotonic() >= full_at:
                    full_at += FULL_S
                    fill(soak.serving.vault)
                    fulls += 1
        finally:
            soak.is_over.set()
            for thread in threads:
                thread.join()
        whole = {f"{talk.session.id}/session": talk.path.read_bytes() for talk in soak.talks}
        keeper = Keeper(soak.serving.vault)
        slow = slowdown()
        try:
            until(lambda: keeper.all_kept(whole) == whole, 120 * slow)
        finally:
            soak.serving.kill()
        damaged = check(FileVault(soak.serving.vault), blob_names(soak.serving.vault)).damaged
    lags = sorted(soak.lags)
    p99 = lags[int(len(lags) * 0.99)]
    lines = sum(data.count(b"\n") for data in whole.values())
    slope, files = growth(soak.sizes)
    print(
        f"G7: {SOAK_S} s, {lines:,} lines in {SESSIONS} sessions, {kills} kills, {crashes} crashes, {fulls} full disks"
        f": 0 lost, {len(damaged)} damaged; lag p50/p99 {lags[len(lags) // 2]:.2f}/{p99:.2f} s "
        f"(machine slowed down {slow:.1f} ×), memory {slope:+.1f} MB/h, open files {files:+d}"
    )
    assert damaged == []
    if SOAK_S >= 3_600:
        assert p99 <= MAX_LAG_S * slow
        assert slope <= MAX_MB_PER_HOUR
        assert files <= 0


def growth(lives: list[list[tuple[float, float, int]]]) -> tuple[float, int]:
    """Returns megabytes per hour and additional open files over the second half of the server's longest life."""
    life = max(lives, key=len)
    half = life[len(life) // 2 :]
    if len(half) < 2:
        return 0.0, 0
    hours = (half[-1][0] - half[0][0]) / 3_600
    return (half[-1][1] - half[0][1]) / hours, half[-1][2] - half[0][2]
