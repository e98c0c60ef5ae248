"""Other programs for comparison, if this machine has them: named by an environment variable, or found on PATH."""

import os
import shutil
import sqlite3
import subprocess
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

AGENTSVIEW = "CHORUS_BENCH_AGENTSVIEW"
CCUSAGE = "CHORUS_BENCH_CCUSAGE"
CLAUDE_CODE_LOG = "CHORUS_BENCH_CLAUDE_CODE_LOG"
_TABLES = ("sessions", "messages")


def find(variable: str, name: str) -> str | None:
    """Returns the program to run, or None."""
    return os.environ.get(variable) or shutil.which(name)


class Imported(NamedTuple):
    """What agentsview did in a first pass."""

    seconds: float
    sessions: int
    messages: int
    searchable_mb: float
    """The text that its search looks through; results of tools, and the records of sub-agents in the file of their
    session, are not part of it."""


def agentsview_cold(program: str, folder: Path) -> Imported:
    """Runs a first pass of agentsview over the projects in a folder, with a temporary home.

    Raises `RuntimeError` if it left out sessions: nothing is compared with a program that did nothing.
    """
    with tempfile.TemporaryDirectory() as home:
        claude = Path(home, ".claude")
        claude.mkdir()
        (claude / "projects").symlink_to(folder / "projects")
        data = {"AGENTSVIEW_DATA_DIR": str(Path(home, "data")), "AGENTSVIEW_NO_DAEMON": "1", "HOME": home}
        start = time.perf_counter()
        subprocess.run([program, "sync"], env={**os.environ, **data}, capture_output=True, check=True)
        imported = _imported(Path(home, "data", "sessions.db"), time.perf_counter() - start)
    sessions = len({path.name for path in (folder / "projects").rglob("*.jsonl")})
    if imported.sessions < sessions:
        raise RuntimeError(f"agentsview took {imported.sessions} of {sessions} sessions")
    return imported


def _imported(database: Path, seconds: float) -> Imported:
    with closing(sqlite3.connect(database)) as store:
        sessions, messages = (store.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in _TABLES)
        searchable = store.execute("SELECT total(length(content)) FROM messages").fetchone()[0]
        return Imported(seconds, sessions, messages, searchable / 1e6)


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
