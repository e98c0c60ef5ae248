"""Measures the processor time of an idle server: `python -m bench.idle`."""

import os
import tempfile
import time
from pathlib import Path

from bench.load import cpu_s
from bench.measure import Figure
from chorus.testing.builders import Session
from tests.e2e.support.serving import Serving

TARGET_PERCENT = 0.5
SESSIONS, SECONDS = 200, 60
_SETTLE_S = 5


def idle(seconds: int = SECONDS) -> Figure:
    """Returns the processor time of `chorus serve` while no session is written or read, in percent of one core."""
    with tempfile.TemporaryDirectory() as folder:
        serving = Serving(Path(folder))
        talks = [Session(f"5e551011-0000-4000-8000-{n:012d}", cwd=f"/srv/{n % 20}") for n in range(SESSIONS)]
        for n, talk in enumerate(talks):
            talk.user(f"prompt {n}")
            talk.assistant("answer")
        serving.write(*talks)
        serving.start()
        try:
            time.sleep(_SETTLE_S)
            before = cpu_s(serving.pid)
            time.sleep(seconds)
            percent = 100 * (cpu_s(serving.pid) - before) / seconds
        finally:
            serving.kill()
    detail = f"{SESSIONS} sessions, {seconds} s, load of the machine {os.getloadavg()[0]:.1f}"
    return Figure(
        "idle: the server's share of a core, %", percent, f"≤ {TARGET_PERCENT}", percent <= TARGET_PERCENT, detail
    )


if __name__ == "__main__":
    print(idle())
