"""Tests of F2: if a server is killed while it records and indexes, the next one brings the index up to date."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from chorus.find.indexing.index_keeper import FOLDER, IndexKeeper
from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Session, tool_use
from tests.find.indexing.vaults import SAVED, kept_up, rows


def _grow(session: Session, path: Path, random: Random) -> None:
    session.user("look at it")
    session.assistant("I look.", tool_use("Bash", {"command": "ls"}, id=session.ids.tool()))
    session.user("x" * random.choice((10, 1_000, 60_000)))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(session))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
@pytest.mark.parametrize("kills", [8, pytest.param(200, marks=pytest.mark.long)])
def test_a_killed_server_leaves_an_index_that_is_right_again(tmp_path, kills):
    """After kills at any moment while sessions grow, the index is equal to a rebuild, and its file is undamaged."""
    random = Random(11)
    client, home = tmp_path / "client", tmp_path / "vault"
    sessions = [Session(f"{number:08x}-0000-4000-8000-000000000000") for number in range(12)]
    environment = os.environ | {"CHORUS_HOME": str(home), "CLAUDE_CONFIG_DIR": str(client)}
    for session in sessions:
        _grow(session, client / "projects" / "-p" / f"{session.id}.jsonl", random)
    for _ in range(kills):
        call = [sys.executable, "-m", "chorus", "serve", "--port", "0"]
        with subprocess.Popen(call, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
            assert server.stdout is not None
            if random.random() < 0.7:
                while b"Ctrl-C" not in server.stdout.readline():
                    assert server.poll() is None
            for session in random.sample(sessions, 4):
                _grow(session, client / "projects" / "-p" / f"{session.id}.jsonl", random)
                time.sleep(random.uniform(0, 0.1))
            server.kill()
    done = subprocess.run([sys.executable, "-m", "chorus", "sync"], env=environment, capture_output=True, check=True)
    vault = FileVault(home)

    assert kept_up(vault) == 0, done.stdout
    left = rows(vault)
    with closing(sqlite3.connect(home / FOLDER / "index.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    keeper = IndexKeeper(vault, saved_since=SAVED)
    keeper.rebuild()
    keeper.close()
    assert rows(vault) == left
    assert sum(session.id in name for session in sessions for name in left) == len(sessions)
