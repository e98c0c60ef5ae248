"""Tests that a killed pass loses nothing and records nothing twice."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Session
from tests.keep.sources.keeping import Keeper


@pytest.mark.parametrize("kills", [12, pytest.param(50, marks=pytest.mark.long)])
def test_killed_passes_lose_nothing(tmp_path: Path, kills: int) -> None:
    """Passes are killed at any moment while the sources grow, and then the vault has each source byte for byte."""
    random = Random(5)
    sessions = [Session(f"{n:08x}-0000-4000-8000-000000000000") for n in range(30)]
    paths = {session.id: tmp_path / "c" / "projects" / "-p" / f"{session.id}.jsonl" for session in sessions}
    command = [sys.executable, "-m", "chorus", "sync", "--vault", str(tmp_path / "v"), str(tmp_path / "c")]
    ended: list[int] = []
    longest_s = 0.35
    for _ in range(kills):
        for session in random.sample(sessions, 20):
            session.user("x" * random.choice((10, 1000, 60_000)))
            paths[session.id].parent.mkdir(parents=True, exist_ok=True)
            paths[session.id].write_bytes(bytes(session))
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0.2, 1) * longest_s)
        process.kill()
        ended.append(process.wait())
        # How long a pass takes depends on the machine: the next one is killed sooner if this one came to its end.
        longest_s *= 1.05 if ended[-1] else 0.75
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    keeper = Keeper(tmp_path / "v")

    assert ended.count(-signal.SIGKILL) > kills // 3, "passes were too quick to be killed"
    for session in sessions:
        if session.lines:
            assert keeper.kept(f"{session.id}/session") == bytes(session)
            assert FileVault(tmp_path / "v").tail(keeper.streams()[f"{session.id}/session"]).revision == 0
    verify = [sys.executable, "-m", "chorus", "verify", "--vault", str(tmp_path / "v")]
    assert subprocess.run(verify, check=False, capture_output=True, timeout=60).returncode == 0
