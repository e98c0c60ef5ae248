"""Tests row F10: after any damage to the index file, the next pass restores the rows of the vault."""

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from chorus.errors import IndexDamaged
from chorus.find.index.sqlite.opening import write_seal
from chorus.find.indexing.index_keeper import FOLDER, IndexKeeper
from tests.find.indexing.vaults import SAVED, filled_vault, kept_up, rows

FLIPS = 200
KILLS = 20
REBUILD = """
import sys
from pathlib import Path
from chorus.find.indexing.index_keeper import IndexKeeper
from chorus.keep.vault.files import FileVault
keeper = IndexKeeper(FileVault(Path(sys.argv[1])), saved_since="2026-01-01")
print("begun", flush=True)
while True:
    keeper.rebuild()
"""


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Returns a vault with a sound index, the bytes of the index file and the rows."""
    vault = filled_vault(tmp_path_factory.mktemp("sound") / "home", count=4)
    kept_up(vault)
    return vault, (vault.root / FOLDER / "index.db").read_bytes(), rows(vault)


def lay(vault, data):
    """Writes the index file with these bytes and keeps its seal."""
    kept = vault.root / FOLDER
    for path in kept.glob("index.db*"):
        path.unlink()
    (kept / "index.db").write_bytes(data)


@pytest.mark.parametrize("part", range(4))
def test_flipped_bytes_are_found_out(sound, part):
    """The next writer notices any changed byte of the index, and the rows are correct again."""
    vault, data, expected = sound
    random = Random(part)
    for _ in range(FLIPS // 4):
        lay(vault, data)
        kept_up(vault)
        damaged = bytearray((vault.root / FOLDER / "index.db").read_bytes())
        damaged[random.randrange(len(damaged))] ^= 1 << random.randrange(8)
        lay(vault, bytes(damaged))
        kept_up(vault)
        assert rows(vault) == expected


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"not a database" * 1000),
        lambda path: path.write_bytes(path.read_bytes()[:5000]),
        lambda path: path.unlink(),
        lambda path: (path.unlink(), path.symlink_to("/dev/null")),
        lambda path: _version(path, 0),
        lambda path: _version(path, 999),
        lambda path: path.with_name("index.db-wal").write_bytes(b"\0" * 5000),
        lambda path: path.with_name("index.seal").write_bytes(b"what?"),
    ],
    ids=["empty", "foreign", "cut", "gone", "a link", "old", "newer", "a foreign log", "a broken seal"],
)
def test_an_index_that_cannot_be_used_is_made_anew(sound, spoil):
    """An index that is empty, foreign, cut, deleted, older or newer is rebuilt with the rows of the vault."""
    vault, data, expected = sound
    lay(vault, data)
    kept_up(vault)
    spoil(vault.root / FOLDER / "index.db")
    kept_up(vault)

    assert rows(vault) == expected
    assert kept_up(vault) == 0


def _version(path, number):
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {number}")
    connection.close()
    write_seal(path, path.with_name("index.seal"))


def test_a_killed_rebuild_leaves_the_old_index_or_the_new(sound, tmp_path):
    """After each of twenty kills at any moment the index is usable, and the next pass gives the same rows."""
    _, _, expected = sound
    vault = filled_vault(tmp_path / "home", count=4)
    kept_up(vault)
    random = Random(7)
    root = Path(__file__).parents[3]
    for _ in range(KILLS):
        process = subprocess.Popen([sys.executable, "-c", REBUILD, str(vault.root)], cwd=root, stdout=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        time.sleep(random.uniform(0, 0.12))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        assert rows(vault) == expected
        kept_up(vault)
        assert rows(vault) == expected
    shutil.rmtree(vault.root)


def test_an_index_that_cannot_be_finished_takes_no_room(tmp_path):
    """If the disk has no room for the new index, no part of it remains, and the old one stays."""
    vault = filled_vault(tmp_path)
    kept_up(vault)
    before = rows(vault)
    keeper = IndexKeeper(vault, saved_since=SAVED)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(IndexDamaged):
            keeper.rebuild()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    keeper.close()

    assert {path.name for path in (vault.root / FOLDER).iterdir()} == {"index.db", "index.seal"}
    assert rows(vault) == before
