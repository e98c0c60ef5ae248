"""Tests that leaves that change step by step contain the same entries as a plain list."""

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chorus.core.conversation.items import ModeChange
from chorus.find.index.rows import Entry
from chorus.find.index.sqlite import leaves, schema

_STEPS = st.lists(st.lists(st.tuples(st.booleans(), st.integers(0, 60)), max_size=25), max_size=8)


def entry(n, mode="plan"):
    order = ("2026-01-01T00:00:00.000Z", 0, "s", n, 0)
    return Entry(ModeChange(id=str(n), order=order, mode=mode))


def connection():
    found = sqlite3.connect(":memory:", isolation_level=None)
    schema.create(found, "epoch")
    return found


@given(_STEPS)
@settings(max_examples=100, deadline=None)
def test_leaves_are_a_sorted_list(steps):
    """Entries are put and removed before, after and between leaves, also at both ends of a leaf in one transaction."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("chorus.find.index.sqlite.leaves.MAX_LEAF", 4)
        patch.setattr("chorus.find.index.sqlite.leaves.MAX_LAST", 5)
        database, plain = connection(), dict[int, Entry]()
        for step in steps:
            stored = leaves.Leaves(database, 1)
            for is_put, n in step:
                taken = stored.take(str(n), entry(n).order)
                assert taken == plain.pop(n, None)
                if is_put:
                    plain[n] = entry(n)
                    stored.put(plain[n])
            stored.write()
            assert list(leaves.read(database, 1)) == [plain[n] for n in sorted(plain)]


def test_an_entry_at_the_end_costs_no_more_in_a_long_conversation():
    """The cost of a new last entry does not depend on the number of leaves, because unchanged leaves are not read."""

    def work(length):
        database = connection()
        stored = leaves.Leaves(database, 1)
        for n in range(length):
            stored.put(entry(n))
        stored.write()
        (count,) = database.execute("SELECT count(*) FROM leaf").fetchone()
        steps = 0

        def step():
            nonlocal steps
            steps += 1
            return 0

        database.set_progress_handler(step, 1)
        stored = leaves.Leaves(database, 1)
        stored.put(entry(length))
        stored.write()
        return steps, count

    short, long = work(100), work(5_000)
    assert long[1] > 10 * short[1]
    assert long[0] < 1.2 * short[0]
