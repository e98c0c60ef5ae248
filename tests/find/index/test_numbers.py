"""Tests the numbers of entries: each is the number of its time, or the next free one."""

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chorus.find.index.sqlite import schema
from chorus.find.index.sqlite.words import Numbers, PendingDocuments
from chorus.find.index.times import TICK_MS, number_at


def connection():
    found = sqlite3.connect(":memory:", isolation_level=None)
    schema.create(found, "epoch")
    return found


@given(st.lists(st.lists(st.integers(0, 40), max_size=30), max_size=6), st.booleans(), st.data())
@settings(max_examples=150, deadline=None)
def test_a_number_is_the_next_that_is_free(batches, is_empty, data):
    """Each entry gets the next free number, also after known numbers were forgotten, and from a new object."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("chorus.find.index.sqlite.words._RUN", 2)
        patch.setattr("chorus.find.index.sqlite.words._MAX_STEP", 4)
        patch.setattr("chorus.find.index.sqlite.words._MAX_RUNS", data.draw(st.integers(0, 5)))
        patch.setattr("chorus.find.index.sqlite.words._MAX_KNOWN", data.draw(st.integers(0, 40)))
        database = connection()
        numbers, waiting, taken = Numbers(database, is_empty=is_empty), PendingDocuments(database), set[int]()
        for batch in batches:
            for tick in batch:
                free = number_at(tick * TICK_MS)
                while free in taken:
                    free += 1
                number = numbers.give(tick * TICK_MS)
                assert number == free
                taken.add(number)
                waiting.add(number, 1, tick * TICK_MS, "words")
            if numbers.is_full or data.draw(st.booleans()):
                waiting.settle()
                numbers.settle()
                if data.draw(st.booleans()):
                    numbers = Numbers(database)


def test_a_run_that_nothing_is_known_of_is_passed_in_few_questions():
    """A server that restarts beside entries that came faster than ticks does not ask for each of them."""
    database = connection()
    numbers, waiting = Numbers(database, is_empty=True), PendingDocuments(database)
    for _ in range(20_000):
        waiting.add(numbers.give(0), 1, 0, "words")
    waiting.settle()
    asked: list[str] = []
    database.set_trace_callback(asked.append)

    assert Numbers(database).give(500 * TICK_MS) == number_at(0) + 20_000
    assert len(asked) < 60
