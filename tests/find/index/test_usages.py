"""Tests that stored usages come back with everything that is counted."""

import sqlite3

import msgspec
import pytest

from chorus.core.conversation.items import Tokens
from chorus.core.spending.periods import quarter
from chorus.core.spending.rows import Usage
from chorus.find.index.sqlite import schema
from chorus.find.index.sqlite.usages import Usages

TIMES = ("2026-02-03T04:17:00Z", "1969-12-31T23:46:00Z", "0001-01-01T00:00:00Z", "no time", None)


@pytest.fixture
def connection():
    made = sqlite3.connect(":memory:")
    schema.create(made, "epoch")
    yield made
    made.close()


@pytest.mark.parametrize("time", TIMES)
def test_a_usage_comes_back(connection, time):
    """A stored usage comes back with the quarter of an hour of its time, or without a time if that is unknown."""
    usage = Usage("m", "agent", time, "claude-test-1", None, Tokens(input=1, cache_read=1 << 40), is_per_turn=True)

    stored = Usages(connection).stored(usage)
    found = Usages(connection).usage("m", stored)

    assert found == msgspec.structs.replace(usage, at=quarter(time) or None)


def test_kinds_are_stored_once(connection):
    """Usages that differ in model, tier or certainty have different kinds. All others share one kind."""
    usages = [
        Usage("m", "", TIMES[0], model, "standard", Tokens(output=n), is_lower_bound=is_lower_bound)
        for n in range(3)
        for model in ("one", "two")
        for is_lower_bound in (False, True)
    ]
    for usage in usages:
        Usages(connection).stored(usage)

    assert connection.execute("SELECT count(*) FROM kind").fetchone() == (4,)


def test_a_kind_that_is_missing_is_damage(connection):
    """A usage whose kind is missing raises the same error as damaged bytes."""
    usage = Usage("m", "", None, None, None, Tokens())
    stored = Usages(connection).stored(usage)
    connection.execute("DELETE FROM kind")

    with pytest.raises(msgspec.ValidationError):
        Usages(connection).usage("m", stored)
