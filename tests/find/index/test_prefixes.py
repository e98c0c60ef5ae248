"""Tests that a prefix finds the entries of all words that begin with it, both for few and for many words."""

from datetime import UTC, datetime

import pytest

from chorus.core.query.parse import parse
from chorus.find.index.memory import MemoryIndex
from chorus.find.index.sqlite import prefixes, searching
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.index.sqlite.prefixes import words_of
from chorus.testing.builders import Session
from chorus.testing.indexes import writings_of

NOW = datetime(2026, 1, 5, tzinfo=UTC)
FEW, MANY = 150, 350
MOST, NEAR = 200, 25
QUERIES = [
    "few*",
    "many*",
    "FEW*",
    "few1*",
    "many1* OR few2*",
    "few* many*",
    "few* -odd",
    "odd -many1*",
    "any*",
    "role*",
    "éte*",
    "搜*",
    "none*",
    '"odd few"*',
    "few* role:user",
    "odd -(few1* OR none*)",
]
"""Prefixes of few and of many words, in every company, of marks, in other scripts, of nothing."""


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Lowers the limits, so that some hundred words and hits are enough to reach them."""
    monkeypatch.setattr(prefixes, "_MOST", MOST)
    monkeypatch.setattr(searching, "_NEAR", NEAR)


@pytest.fixture(scope="module")
def talk():
    said = Session()
    for n in range(MANY):
        odd = "odd " if n % 2 else ""
        few = f"few{n}" if n < FEW else "été 搜索"
        rank = "" if n % 3 else "rankle" if n else "ranking"
        said.user(f"{odd}{few} many{n} {rank}")
    return said


@pytest.fixture(scope="module")
def index(talk, tmp_path_factory):
    made = SqliteIndex.build(tmp_path_factory.mktemp("index"))
    made.write(writings_of(talk))
    made.finish()
    yield made
    made.close()


@pytest.fixture(scope="module")
def scan(talk):
    made = MemoryIndex()
    made.write(writings_of(talk))
    return made


def ids(index, text, *, limit, below=None):
    """Returns the ids of the hits in their order, and the place where the next page begins."""
    answer = index.search(parse(text, now=NOW), limit=limit, below=below)
    entries = index.entries(hit.number for hit in answer.hits)
    return [entries[hit.number].id for hit in answer.hits], answer.next


@pytest.mark.parametrize("text", QUERIES)
@pytest.mark.parametrize("limit", [NEAR - 5, 1000])
def test_same_as_a_scan(index, scan, text, limit):
    """The index returns the same entries in the same order as a scan, page by page."""
    below, scan_below, is_first = None, None, True
    while is_first or below:
        is_first = False
        found, below = ids(index, text, limit=limit, below=below)
        expected, scan_below = ids(scan, text, limit=limit, below=scan_below)

        assert found == expected
        assert (below is None) == (scan_below is None)


@pytest.mark.parametrize(("most", "is_spelled_out"), [(FEW - 1, False), (FEW, True)])
def test_how_many_are_too_many(index, monkeypatch, most, is_spelled_out):
    """A prefix is spelled out up to the maximal number of words, and not with one word more."""
    monkeypatch.setattr(prefixes, "_MOST", most)

    assert (words_of(index._connection, "few") is not None) == is_spelled_out


def test_a_word_that_sqlite_cuts(tmp_path):
    """A word of more than 32 KiB that is cut within a letter is found by its beginning."""
    said = Session()
    said.user("l" + "я" * 20_000)
    made = SqliteIndex.build(tmp_path)
    made.write(writings_of(said))

    assert len(ids(made, "lя*", limit=9)[0]) == 1
    assert words_of(made._connection, "lя") is None
    made.close()


def test_what_is_spelled_out(index):
    """A prefix is replaced by all words that begin with it, or by none if there are too many."""
    connection = index._connection

    assert words_of(connection, "few") == sorted(f"few{n}" for n in range(FEW))
    assert words_of(connection, "few14") == ["few14", *(f"few14{n}" for n in range(10))]
    assert words_of(connection, "none") == []
    assert words_of(connection, "many") is None
    assert words_of(connection, "搜") == ["搜"]


def test_a_rank_does_not_depend_on_spelling(index, monkeypatch):
    """The rank treats a prefix as one word, so a rare word that begins with it has no higher weight."""
    query = parse("rank*", now=NOW)
    spelled = index.search(query, limit=1000, is_ranked=True).hits
    monkeypatch.setattr(prefixes, "_MOST", 0)

    assert words_of(index._connection, "rank") is None
    assert len(spelled) > 1
    assert index.search(query, limit=1000, is_ranked=True).hits == spelled
