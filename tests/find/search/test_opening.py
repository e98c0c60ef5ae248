"""Tests opening the index for a query, and building it when it is missing."""

import subprocess
import sys
import threading
import time

import pytest

from chorus.core.query.tree import Query
from chorus.errors import ChorusError, IndexDamaged
from chorus.find.indexing.lock import sole_writer
from chorus.find.indexing.writer import index_writer
from chorus.find.search.opening import FOLDER, ask
from chorus.keep.vault.files import FileVault
from tests.find.search.asking import NOW, asked, making, session, vault_of

HOLDER = """
import sys, time
from pathlib import Path
from chorus.find.indexing.lock import sole_writer
with sole_writer(Path(sys.argv[1])) as is_ours:
    print(is_ours, flush=True)
    time.sleep(60)
"""


def titles(index):
    return [row.session.title for row in index.conversations(Query(None), limit=10)[0]]


@pytest.fixture
def vault(tmp_path):
    talk = session()
    talk.title("A talk")
    talk.user("hello")
    return vault_of(tmp_path, talk)


@pytest.mark.parametrize("is_there", [False, True])
def test_an_empty_vault_answers_nothing_and_makes_nothing(tmp_path, is_there):
    """A vault without conversations has no index, and a query builds none."""
    root = tmp_path / "vault"
    if is_there:
        root.mkdir()

    assert asked(FileVault(root), titles) is None
    assert not root.exists() or list(root.iterdir()) == []


def test_an_index_that_is_missing_is_made(vault):
    """The first query builds the index, and the next one uses it."""
    assert asked(vault, titles) == ["A talk"]
    assert asked(vault, lambda index: index.epoch) == asked(vault, lambda index: index.epoch)


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + bytes(4096)])
def test_a_damaged_index_is_made_anew(vault, content):
    """An index file with any wrong content is rebuilt."""
    asked(vault, titles)
    (vault.root / FOLDER / "index.db").write_bytes(content)

    assert asked(vault, titles) == ["A talk"]


def test_damage_that_only_shows_when_asked_is_mended(vault):
    """If the damage appears only during a query, the index is rebuilt and the query runs again."""
    before = asked(vault, lambda index: index.epoch)
    epochs = []

    def act(index):
        epochs.append(index.epoch)
        if index.epoch == before:
            raise IndexDamaged("a leaf is broken")
        return titles(index)

    assert asked(vault, act) == ["A talk"]
    assert len(epochs) == 2


def test_damage_that_cannot_be_repaired_is_reported(vault):
    """The index is rebuilt only once, and then the damage is reported."""
    asked(vault, titles)
    calls = []

    def act(_index):
        calls.append(1)
        raise IndexDamaged("still broken")

    with pytest.raises(IndexDamaged, match="still broken"):
        asked(vault, act)
    assert len(calls) == 2


def test_an_index_is_read_while_another_writes_it(vault):
    """A process that keeps the index up to date does not block queries."""
    asked(vault, titles)
    said = []
    with sole_writer(vault.root / FOLDER) as is_ours:
        assert is_ours
        assert ask(vault, titles, making(said)) == ["A talk"]
    assert said == []


def test_who_makes_the_index_is_waited_for(vault):
    """While another process builds the first index, the query says that it waits, and then gets its answer."""
    begun = threading.Event()

    def make():
        with index_writer(FileVault(vault.root), NOW) as keeper:
            begun.set()
            time.sleep(0.3)
            assert keeper is not None
            keeper.catch_up()

    maker = threading.Thread(target=make)
    maker.start()
    begun.wait()
    said = []
    assert ask(vault, titles, making(said)) == ["A talk"]
    maker.join()

    assert said == ["waiting for another process that builds the index"]


def test_waiting_has_an_end(vault):
    """A process that holds the lock and builds no index causes an error after some time.

    After it ends, queries work.
    """
    folder = vault.root / FOLDER
    folder.mkdir()
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, folder], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout and holder.stdout.readline() == "True\n"
        said = []
        with pytest.raises(ChorusError, match=r"another process has held its lock .* `chorus index`"):
            ask(vault, titles, making(said, patience_s=0.3))
        assert len(said) == 1
    finally:
        holder.kill()
        holder.communicate()

    assert asked(vault, titles) == ["A talk"]
