"""Builds a vault of several sessions on disk, and reads its index."""

from pathlib import Path

from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.indexing.index_keeper import FOLDER, IndexKeeper
from chorus.keep.vault.files import FileVault
from chorus.testing.indexes import keep, snapshot
from tests.find.index.talking import sessions

SAVED = "2026-01-01"


def filled_vault(root: Path, *, seed: int = 1, count: int = 6) -> FileVault:
    vault = FileVault(root)
    for number, talk in enumerate(sessions(seed, count)):
        keep(vault, talk, workspace=f"w{number % 2}-00000000")
    return vault


def kept_up(vault: FileVault) -> int:
    """Brings the index up to date, and returns the number of conversations that changed."""
    keeper = IndexKeeper(vault, saved_since=SAVED)
    changed = keeper.catch_up()
    keeper.close()
    return changed


def rows(vault: FileVault) -> dict:
    """Returns everything that the index contains."""
    index = SqliteIndex(vault.root / FOLDER)
    try:
        return snapshot(index, index.positions())
    finally:
        index.close()
