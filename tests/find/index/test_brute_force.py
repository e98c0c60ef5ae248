"""Tests that SQLite gives the same answer to every query as a scan of all entries."""

from datetime import UTC, datetime
from random import Random

import pytest

from chorus.core.query.parse import parse
from chorus.errors import QueryError
from chorus.find.index.memory import MemoryIndex
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.testing.indexes import writings_of
from tests.find.index.talking import query, sessions

NOW = datetime(2026, 1, 5, tzinfo=UTC)
QUERIES = 120


def cost_of(spent):
    return spent.tokens.output / 100_000


def texts_of(wanted):
    return [entry.id for _, entry in wanted]


def answer(index, asked):
    found = index.search(asked, limit=1000, texts_of=texts_of)
    entries = index.entries(hit.number for hit in found.hits)
    ids = sorted((hit.conversation, entries[hit.number].id, len(hit.also)) for hit in found.hits)
    rows, _ = index.conversations(asked, limit=1000, texts_of=texts_of)
    return ids, sorted(row.name for row in rows), found.is_spread


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(n, marks=pytest.mark.long) for n in range(6, 24))])
def test_random_queries(seed, tmp_path):
    """Words, phrases, prefixes, fields, measures, times, patterns, sequences and any mix of them give the same hits."""
    talks, random = sessions(seed), Random(seed)
    scan, asked_of = MemoryIndex(cost_of=cost_of), SqliteIndex.build(tmp_path, cost_of=cost_of)
    scan.write(writings_of(*talks))
    asked_of.write(writings_of(*talks))
    hits = 0
    for _ in range(QUERIES):
        text = query(random)
        try:
            asked = parse(text, now=NOW)
        except QueryError:
            continue
        expected = answer(scan, asked)
        assert answer(asked_of, asked) == expected, text
        hits += bool(expected[0])
    assert hits > QUERIES / 4, "most queries find nothing: they say little"
    asked_of.close()
