"""Runs `chorus sync --watch` as a process, and waits for what it does."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from chorus.testing.builders import Session

PATIENCE_S = 20.0


@contextmanager
def watching(vault: Path, source: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "chorus", "sync", "--vault", str(vault), "--watch", str(source)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stderr is not None
    try:
        assert b"watching" in process.stderr.readline()
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        # The process first finishes its work, which takes long on a busy machine.
        process.communicate(timeout=120)


def until(holds: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.02)
    return False


def session_file(folder: Path, session: Session) -> Path:
    path = folder / "projects" / "-p" / f"{session.id}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
