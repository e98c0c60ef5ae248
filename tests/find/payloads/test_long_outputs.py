"""Tests that a long output that comes after its record is found as if it had come before."""

import pytest

from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.indexing.index_keeper import FOLDER, IndexKeeper
from chorus.keep.sources.sync import Sync
from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Session, lay_out, tool_use
from tests.find.indexing.test_forgeries import WHEN, parse
from tests.find.indexing.vaults import SAVED
from tests.keep.sources.watching import until, watching

REFERENCE = "<persisted-output>\nToo large. Full output saved to: /x/tool-results/b1.txt\n\nPreview:\nbegin"


def talk():
    session = Session()
    session.user("go")
    session.assistant(tool_use("Bash", {"command": "make"}, id="t1"))
    session.tool_result("t1", REFERENCE)
    return session


def found(vault, words):
    index = SqliteIndex(vault.root / FOLDER)
    try:
        return len(index.search(parse(words, now=WHEN), limit=9).hits)
    finally:
        index.close()


@pytest.mark.parametrize("goes_on", [True, False])
@pytest.mark.parametrize("saved_since", [SAVED, "9"], ids=["saved", "not saved"])
@pytest.mark.parametrize("is_one_process", [True, False])
def test_an_output_that_comes_late_is_found(tmp_path, goes_on, saved_since, is_one_process):
    """A late output is found, whether or not its session continued, and in any process.

    A later change of it is found too.
    """
    session, config = talk(), tmp_path / "claude"
    vault = FileVault(tmp_path / "vault")
    path = lay_out(config, session)
    syncing, keeper = (
        Sync(vault, vault.root, lambda: "2026-02-01T00:00:00.000Z"),
        IndexKeeper(vault, saved_since=SAVED),
    )

    def keep():
        nonlocal syncing, keeper
        if not is_one_process:
            keeper.close()
            syncing = Sync(vault, vault.root, lambda: "2026-02-01T00:00:00.000Z")
            keeper = IndexKeeper(vault, saved_since=saved_since)
        syncing.run([config])
        keeper.catch_up()

    keep()
    assert found(vault, "needle") == 0

    outputs = path.with_suffix("") / "tool-results"
    outputs.mkdir(parents=True)
    (outputs / "b1.txt").write_text("the needle at its end\n")
    if goes_on:
        session.user("go on")
        path.write_bytes(bytes(session))
    keep()
    assert found(vault, "needle") == 1 and found(vault, "role:user") == 1 + goes_on

    (outputs / "b2.txt").write_text("nobody asks for it")
    (outputs / "b1.txt").write_text("the other end\n")
    keep()
    assert (found(vault, "needle"), found(vault, "other")) == (0, 1)
    keeper.rebuild()
    keeper.close()
    assert (found(vault, "needle"), found(vault, "other")) == (0, 1)


def test_a_watcher_takes_an_output_that_comes_late(tmp_path):
    """A watcher indexes a late output at once, although the session itself does not change."""
    config, vault = tmp_path / "claude", FileVault(tmp_path / "vault")
    path = lay_out(config, talk())
    outputs = path.with_suffix("") / "tool-results"
    outputs.mkdir(parents=True)
    with watching(vault.root, config):
        assert until(lambda: (vault.root / FOLDER).exists() and found(vault, "begin") == 1)
        (outputs / "b1.txt").write_text("the needle at its end\n")
        assert until(lambda: found(vault, "needle") == 1)
