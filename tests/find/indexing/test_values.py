"""Tests that any value in any field is indexed without an error, bounded if it does not fit into a column."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from chorus.core.query.parse import parse
from chorus.core.records.bounded import MAX_INTEGER, encoded
from chorus.find.costs.conversation_costs import Costs
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.indexing.index_keeper import FOLDER, IndexKeeper
from chorus.find.search.answers import find
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import MAIN_STREAM, StreamKey
from chorus.testing.builders import Session, thinking, tool_use
from chorus.testing.indexes import SEEN_AT, WORKSPACE, name_of
from tests.find.search.asking import NOW

HUGE = 10**30
VALUES = (
    HUGE,
    -HUGE,
    2**63,
    2**64 - 1,
    2**64,
    -(2**63) - 1,
    10**400,
    1.5,
    -1,
    1e300,
    "x",
    "",
    None,
    True,
    [],
    {},
    [HUGE],
)
TIMES = (
    "9999-12-31T23:59:59.999Z",
    "9999-12-31T23:59:59.999-12:00",
    "0001-01-01T00:00:00+14:00",
    "10000-01-01",
    "-1",
    "",
)


def talk():
    """A session with figures of every kind."""
    session = Session()
    session.user("A needle, please")
    session.assistant(thinking("Hay."), tool_use("Bash", {"command": "ls", "timeout": 5}, id="t1"))
    session.tool_result("t1", "needle", structured={"stdout": "needle", "durationMs": 3, "exitCode": 0})
    session.system("turn_duration", durationMs=7)
    session.system("compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 100})
    session.assistant("A needle.", stop="end_turn")
    return session


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Returns the path of every value that is not a list or an object."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from places(each, (*path, key))
    elif isinstance(value, list):
        for n, each in enumerate(value):
            yield from places(each, (*path, n))
    else:
        yield path


def replaced(line, path, value):
    line = json.loads(json.dumps(line))
    *before, last = path
    inner = line
    for step in before:
        inner = inner[step]
    inner[last] = value
    return line


def indexed(tmp_path, lines):
    """Returns a vault whose lines are indexed, the last one in a later pass, like a live line."""
    vault = FileVault(tmp_path / "vault")
    key = StreamKey(WORKSPACE, "main", Session().id, MAIN_STREAM)
    rows = [json.dumps(line).encode() + b"\n" for line in lines]
    for some in (rows[:-1], rows[-1:]):
        vault.append(key, b"".join(some), seen_at=SEEN_AT)
        vault.flush()
        keeper = IndexKeeper(vault, saved_since="")
        keeper.catch_up()
        keeper.close()
    return vault


def asked(vault):
    """Runs every kind of query, and returns the entries."""
    costs = Costs(vault.root)
    index = SqliteIndex(vault.root / FOLDER, cost_of=costs.cost_of)
    try:
        for text in ("needle", "tokens>1", "cost>0", "cost<1", "messages>0", "regex:/needle/", "is:error", ""):
            find(index, vault, parse(text, now=NOW), limit=20)
        row = index.conversation(name_of(Session()))
        costs.figures(index, [row] if row else [])
        return [entry for entry in index.all_entries(name_of(Session())) if entry.number]
    finally:
        index.close()


@pytest.mark.parametrize("seed", range(6))
def test_any_value_of_any_field_is_indexed(tmp_path, seed):
    """Figures beyond 64 bits, wrong types and extreme times are indexed, and the other fields still find the entry."""
    random = Random(seed)
    lines = [json.loads(row) for row in bytes(talk()).splitlines()]
    mutated = []
    for line in lines:
        for path in random.sample(list(places(line)), 4):
            key = path[-1]
            if key in ("type", "uuid", "sessionId"):
                continue
            value = random.choice(TIMES) if key == "timestamp" else random.choice(VALUES)
            mutated.append(replaced(line, path, value))
    both = [*lines, *mutated]

    assert asked(indexed(tmp_path, both))


@pytest.mark.parametrize("value", [HUGE, -HUGE, 2**63, 10**400])
def test_figures_beyond_a_column_are_bounded(tmp_path, value):
    """The index has the conversation even if every figure of every line, and each sum, is too large for a column."""
    lines = [json.loads(row) for row in bytes(talk()).splitlines()]
    for n, line in enumerate(lines):
        for path in places(line):
            inner = line
            for step in path:
                inner = inner[step]
            if isinstance(inner, int) and not isinstance(inner, bool):
                lines[n] = replaced(lines[n], path, value)

    assert len(asked(indexed(tmp_path, lines))) >= 3


@pytest.mark.parametrize("time", TIMES)
def test_entries_at_the_ends_of_the_calendar_are_found(tmp_path, time):
    """A search returns an entry whose time is at an end of the calendar."""
    lines = [json.loads(row) | {"timestamp": time} for row in bytes(talk()).splitlines()]
    vault = indexed(tmp_path, lines)
    index = SqliteIndex(vault.root / FOLDER)

    assert len(find(index, vault, parse("needle", now=NOW), limit=20).found) == 3
    assert len(find(index, vault, parse("regex:/needle/i", now=NOW), limit=20).found) == 3
    index.close()


def test_integers_that_fit_are_packed_as_they_are():
    """Integers that fit are packed unchanged, and only the others are bounded."""
    assert encoded([1, "x", b"y", {"a": HUGE}, [True, -HUGE]]) == encoded(
        [1, "x", b"y", {"a": MAX_INTEGER}, [True, -MAX_INTEGER - 1]]
    )
