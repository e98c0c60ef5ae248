"""Tests entries that come faster than ticks: their numbers run ahead of their times, and answers cost the same."""

from datetime import UTC, datetime

import pytest

from chorus.core.query.parse import parse
from chorus.find.index.port import MAX_COUNTED, MAX_HITS
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.indexing.index_keeper import IndexKeeper
from chorus.find.search.groups import groups
from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Session
from chorus.testing.builders.lines import Clock
from chorus.testing.indexes import keep

_LINES = 4_000


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    vault = FileVault(tmp_path_factory.mktemp("vault"))
    talk = Session(clock=Clock("2026-01-05T10:00:00.000Z", step_ms=1))
    for n in range(_LINES):
        talk.user(f"line {n} of many {'seldom' if n % 50 == 0 else ''}")
    keep(vault, talk)
    keeper = IndexKeeper(vault, saved_since="9999")
    keeper.catch_up()
    keeper.close()
    found = SqliteIndex(vault.root / "index")
    yield found
    found.close()


def _query(text: str):
    return parse(text, now=datetime(2026, 1, 6, tzinfo=UTC))


def test_an_answer_is_one_statement(index):
    """SQLite returns the hits of a page in order with one statement, and their number with another one."""
    asked: list[str] = []
    index._connection.set_trace_callback(asked.append)
    hits = index.search(_query("many"), limit=500).hits
    counted = index.count(_query("seldom"), since=0)
    index._connection.set_trace_callback(None)

    assert [hit.number for hit in hits] == sorted({hit.number for hit in hits}, reverse=True)
    assert (len(hits), counted) == (500, _LINES // 50)
    # SQLite also reports the statements that FTS5 runs within a statement.
    assert len([each for each in asked if "'main'" not in each]) <= 4


def test_counts_say_that_there_are_more(index):
    """A count that is higher than the limit of an answer is cut, and its group says so."""
    query = _query("many")
    assert index.count(query, since=0) == MAX_COUNTED
    answer = index.search(query, limit=10)
    (group,) = groups(index, query, answer, is_whole=False, is_counted=True)
    assert (group.count, group.is_at_least) == (MAX_HITS, True)

    query = _query("seldom")
    (group,) = groups(index, query, index.search(query, limit=10), is_whole=False, is_counted=True)
    assert (group.count, group.is_at_least) == (_LINES // 50, False)


def test_an_old_entry_is_found_by_its_time(index):
    """Finding an entry costs the same for the oldest and the newest, although its number belongs to another hour."""
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    def cost(number: int) -> int:
        nonlocal steps
        steps = 0
        index._connection.set_progress_handler(count, 1)
        assert index.entries([number]).keys() == {number}
        index._connection.set_progress_handler(None, 1)
        return steps

    numbers = [hit.number for hit in index.search(_query("seldom"), limit=MAX_HITS).hits]
    assert max(map(cost, numbers)) <= 2 * min(map(cost, numbers))
