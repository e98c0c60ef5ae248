"""Other programs for comparison, if this machine has them: named by an environment variable, or found on PATH."""

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

AGENTSVIEW = "CHORUS_BENCH_AGENTSVIEW"
CCUSAGE = "CHORUS_BENCH_CCUSAGE"
CLAUDE_CODE_LOG = "CHORUS_BENCH_CLAUDE_CODE_LOG"


def find(variable: str, name: str) -> str | None:
    """Returns the program to run, or None."""
    return os.environ.get(variable) or shutil.which(name)


def agentsview_cold(program: str, folder: Path) -> float:
    """Returns the seconds of a first pass of agentsview over the projects in a folder, with a temporary home."""
    with tempfile.TemporaryDirectory() as home:
        claude = Path(home, ".claude")
        claude.mkdir()
        (claude / "projects").symlink_to(folder / "projects")
        data = {"AGENTSVIEW_DATA_DIR": str(Path(home, "data")), "AGENTSVIEW_NO_DAEMON": "1", "HOME": home}
        start = time.perf_counter()
        subprocess.run([program, "sync"], env={**os.environ, **data}, capture_output=True, check=True)
        return time.perf_counter() - start


def ccusage(program: str, folder: Path) -> None:
    """Runs ccusage over the projects of a folder with its own price table."""
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "CLAUDE_CONFIG_DIR": str(folder), "HOME": home}
        subprocess.run([program, "claude", "daily", "--offline", "--json"], env=env, capture_output=True, check=True)


def claude_code_log(program: str, session: Path, folder: Path) -> None:
    """Makes the page of one session with claude-code-log, without its cache."""
    env = {**os.environ, "HOME": str(folder)}
    page = folder / "theirs.html"
    subprocess.run([program, str(session), "-o", str(page), "--no-cache"], env=env, capture_output=True, check=True)
