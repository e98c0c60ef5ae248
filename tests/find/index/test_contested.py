"""Tests that a message id that two conversations use for different messages is a conflict in both."""

from datetime import UTC, datetime

import pytest

from chorus.core.query.parse import parse
from chorus.find.index.memory import MemoryIndex
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.testing.builders import Session
from chorus.testing.builders.lines import usage
from chorus.testing.indexes import writings_of

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ONE, OTHER, FORK = (f"{n:08x}-0000-4000-8000-000000000000" for n in (1, 2, 3))


@pytest.fixture(params=["memory", "sqlite"])
def index(request, tmp_path):
    if request.param == "memory":
        yield MemoryIndex()
        return
    found = SqliteIndex.build(tmp_path)
    yield found
    found.close()


def talk(name, words, *, said=20):
    session = Session(name)
    session.user("what is it?")
    session.assistant(words, message_id="msg_shared", stop="end_turn", tokens=usage(given=100, said=said))
    session.assistant("more", message_id=f"msg_{name}", stop="end_turn", tokens=usage(given=10, said=2))
    return session


def found(index, query):
    hits = index.search(parse(query, now=NOW), limit=99).hits
    entries = index.entries(hit.number for hit in hits)
    return sorted((hit.conversation.rpartition("/")[2], entries[hit.number].item.id) for hit in hits)


def test_other_words_under_one_id_are_a_conflict(index):
    """A query for conflicts finds both messages in any order of arrival, and no others.

    A removed message causes no conflict.
    """
    index.write(writings_of(talk(ONE, "the honest answer")))
    assert found(index, "is:conflict") == []

    index.write(writings_of(talk(OTHER, "a forged answer")))
    both = [(ONE, "msg_shared"), (OTHER, "msg_shared")]
    assert found(index, "is:conflict") == both
    assert found(index, "is:conflict honest") == both[:1]
    assert found(index, "is:conflict OR more") == sorted([*both, (ONE, f"msg_{ONE}"), (OTHER, f"msg_{OTHER}")])
    assert not {each for each in found(index, "-is:conflict role:assistant") if each in both}

    (forged,) = (name for name in index.positions() if name.endswith(OTHER))
    index.write([], gone=[forged])
    assert found(index, "is:conflict") == []


def test_other_figures_under_one_id_are_a_conflict(index):
    """A message with the same words but different usage is a conflict."""
    index.write(writings_of(talk(ONE, "the answer")))
    index.write(writings_of(talk(OTHER, "the answer", said=4_000)))

    assert found(index, "is:conflict") == [(ONE, "msg_shared"), (OTHER, "msg_shared")]


def test_true_copies_are_no_conflict(index):
    """A message that a fork copied is the same message and no conflict."""
    index.write(writings_of(talk(ONE, "the answer")))
    index.write(writings_of(talk(FORK, "the answer")))

    assert found(index, "is:conflict") == []
