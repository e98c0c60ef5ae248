"""Tests many copies of one session, as in a folder of backups."""

import cProfile
import pstats
from datetime import UTC, datetime

from chorus.find.indexing.writer import index_writer
from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Session
from tests.keep.sources.keeping import Keeper

COPIES = 150


def calls(tmp_path, name, *, is_same):
    """Returns the number of function calls of a first pass and its indexing."""
    for number in range(COPIES):
        session = Session(f"{0 if is_same else number:08x}-0000-4000-8000-000000000000")
        session.user("hello")
        path = tmp_path / name / f"backup{number}" / f"{session.id}.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(bytes(session))
    root = tmp_path / f"{name}-vault"
    profile = cProfile.Profile()
    with profile:
        Keeper(root).sync(tmp_path / name)
        with index_writer(FileVault(root), datetime.now(UTC)) as keeper:
            assert keeper is not None
            keeper.catch_up()
    return pstats.Stats(profile).total_calls  # pyrefly: ignore - the stub leaves it out


def test_copies_cost_no_more_than_different_sessions(tmp_path):
    """Many copies of one session take no more work to record and index than as many different sessions."""
    assert calls(tmp_path, "same", is_same=True) <= 1.1 * calls(tmp_path, "different", is_same=False)
