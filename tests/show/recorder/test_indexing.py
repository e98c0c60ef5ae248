"""Tests how often a conversation is indexed if each of its lines is expensive."""

from datetime import UTC, datetime

import pytest

from chorus.core.query.parse import parse
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.keep.vault.files import FileVault
from chorus.show.recorder.indexing import Indexing
from chorus.testing.builders import Session
from chorus.testing.indexes import keep, name_of

_PARTS = 600


class _Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def vault(tmp_path):
    return FileVault(tmp_path)


@pytest.fixture
def giant(vault):
    """A session with one message of many parts."""
    talk = Session()
    for n in range(_PARTS):
        talk.assistant(f"part {n}", message_id="msg_giant")
    keep(vault, talk)
    return talk


def _grow(vault: FileVault, talk: Session, word: str) -> None:
    talk.assistant(word, message_id="msg_giant")
    keep(vault, talk)


def _finds(vault: FileVault, word: str) -> bool:
    index = SqliteIndex(vault.root / "index")
    try:
        return bool(index.search(parse(word, now=datetime.now(UTC)), limit=1).hits)
    finally:
        index.close()


def test_lines_of_a_giant_message_are_indexed_together(vault, giant):
    """After a giant message was indexed, its next lines wait for some time and are then indexed together."""
    clock, name = _Clock(), name_of(giant)
    with Indexing(vault, pytest.fail, clock=clock) as indexing:
        indexing.catch_up()
        _grow(vault, giant, "first")
        indexing.take({name})
        assert _finds(vault, "first")

        for word in ("second", "third"):
            _grow(vault, giant, word)
            indexing.take({name})
        assert not _finds(vault, "second")
        assert not indexing.take_owed(), "it still rests"

        clock.now_s += 5
        assert indexing.take_owed()
        assert _finds(vault, "second")
        assert _finds(vault, "third")
        assert not indexing.take_owed(), "nothing is left"


def test_a_giant_message_delays_no_other_conversation(vault, giant):
    """While one conversation waits, new lines of other conversations are indexed at once."""
    other = Session("5e551011-0000-4000-8000-00000000abcd")
    other.user("begin")
    keep(vault, other)
    with Indexing(vault, pytest.fail, clock=_Clock()) as indexing:
        indexing.catch_up()
        _grow(vault, giant, "first")
        indexing.take({name_of(giant)})
        _grow(vault, giant, "second")
        other.user("elsewhere")
        keep(vault, other)
        indexing.take({name_of(giant), name_of(other)})

        assert _finds(vault, "elsewhere")
        assert not _finds(vault, "second")


@pytest.mark.parametrize("ending", ["catch_up", "exit"])
def test_nothing_rests_for_ever(vault, giant, ending):
    """A pass over everything and the end of the process both index the waiting lines."""
    with Indexing(vault, pytest.fail, clock=_Clock()) as indexing:
        indexing.catch_up()
        for word in ("first", "second"):
            _grow(vault, giant, word)
            indexing.take({name_of(giant)})
        assert not _finds(vault, "second")
        if ending == "catch_up":
            indexing.catch_up()
            assert _finds(vault, "second")
    assert _finds(vault, "second")
