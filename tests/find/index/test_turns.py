"""Tests of the numbers of turns in the index."""

import sqlite3

import pytest

from chorus.core.conversation.items import Tokens
from chorus.core.spending.rows import Usage
from chorus.find.index.sqlite import schema
from chorus.find.index.sqlite.turns import numbered

CONVERSATION = 1


@pytest.fixture
def connection():
    made = sqlite3.connect(":memory:")
    schema.create(made, "epoch")
    yield made
    made.close()


def usages(*turns):
    """Returns one usage for each turn."""
    return [Usage(f"m{turn}", "", None, None, None, Tokens(), turn=turn) for turn in turns]


def prompts(count):
    return [f"2026-05-01T00:00:00.{number:06d}Z prompt" for number in range(count)]


def steps(connection, act):
    """Returns the number of instructions that SQLite ran."""
    count = 0

    def step():
        nonlocal count
        count += 1

    connection.set_progress_handler(step, 1)
    act()
    connection.set_progress_handler(None, 1)
    return count


def test_a_line_of_the_latest_turn_reads_no_others(connection):
    """Counting a message of the newest turn costs the same after fifty turns and after five thousand."""
    many = prompts(5_000)
    numbered(connection, CONVERSATION, usages(*many[:50]))
    few = steps(connection, lambda: numbered(connection, CONVERSATION, usages(many[49])))
    numbered(connection, CONVERSATION, usages(*many[50:]))

    assert steps(connection, lambda: numbered(connection, CONVERSATION, usages(many[-1]))) <= few + 10


def test_a_turn_keeps_its_number(connection):
    """The first, the last and a new turn get the numbers they had, and one of their own, in any order."""
    many = prompts(100)
    first = [usage.turn for usage in numbered(connection, CONVERSATION, usages(*many))]
    again = numbered(connection, CONVERSATION, usages("9999 new", many[99], many[0], many[50]))

    assert len(set(first)) == 100
    assert [usage.turn for usage in again[1:]] == [first[99], first[0], first[50]]
    assert again[0].turn not in first
