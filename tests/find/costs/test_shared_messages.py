"""Tests which conversations must be read to find the owner of a message."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.core.spending.ownership import Account, assign_owners
from chorus.find.costs.shared_messages import sharers
from chorus.find.index.memory import MemoryIndex
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.keep.vault.memory import MemoryVault
from chorus.testing.builders import Session
from chorus.testing.builders.lines import Clock, Ids
from chorus.testing.indexes import keep, kept_in, name_of, whole

STARTS = [f"2026-01-0{day}T09:00:00.000Z" for day in (1, 2, 3)]
Told = tuple[str, list[int], list[int]]
"""A conversation: when it started, the messages that the index knows, and those that came later."""

SAID_AT = "2026-01-09T09:00:00.000Z"
"""Forks copy the time of a message."""


def talk(number, start, messages):
    name = f"5e55101{number}-0000-4000-8000-000000000001"
    session = Session(name, clock=Clock(start), ids=Ids(name))
    session.user("go")
    for message in messages:
        session.assistant("said", message_id=f"msg_{message}", stop="end_turn", timestamp=SAID_AT)
    return session


def shared(talks: list[Told], index):
    """Returns the vault and, for each conversation by name, the conversations that may share messages with it."""
    vault = MemoryVault()
    for number, (start, known, _) in enumerate(talks):
        keep(vault, talk(number, start, known))
    index.write(whole(vault))
    for number, (start, known, later) in enumerate(talks):
        keep(vault, talk(number, start, [*known, *later]))
    every = kept_in(vault)
    return vault, {kept.name: {each.name for each in sharers(index, kept, every)} for kept in every}


def names(*numbers):
    return {name_of(talk(number, STARTS[0], [])) for number in numbers}


@given(st.lists(st.tuples(st.sampled_from(STARTS), *[st.lists(st.integers(0, 5), max_size=3)] * 2), max_size=5))
def test_nobody_else_has_a_say(talks):
    """The conversations that may share a message give it the same owner and usage as all conversations together."""
    vault, found = shared(talks, MemoryIndex())
    accounts = {
        writing.row.name: Account(writing.row.name, writing.row.session.started_at, writing.usages)
        for writing in whole(vault)
    }
    by_all = assign_owners(accounts.values())

    for name, others in found.items():
        by_some = assign_owners([accounts[name], *(accounts[other] for other in others)])
        for told in accounts[name].usages:
            assert by_some.of(name, told.message) == by_all.of(name, told.message)


@pytest.mark.parametrize("back_end", ["memory", "SQLite"])
def test_few_are_looked_at(back_end, tmp_path):
    """A conversation that is no fork needs only the forks.

    A fork also needs the conversations that started before it.
    """
    index = MemoryIndex() if back_end == "memory" else SqliteIndex.build(tmp_path)
    first, second, third = STARTS
    _, found = shared([(first, [1], []), (second, [1, 2], []), (first, [3], []), (third, [4], [])], index)

    assert found[names(0).pop()] == found[names(3).pop()] == names(1)
    assert found[names(1).pop()] == names(0, 2)
    if isinstance(index, SqliteIndex):
        index.close()


def test_what_the_index_has_not_read_is_looked_at():
    """A conversation that grew after it was indexed may contain any message, so it is read."""
    first, second, _ = STARTS
    _, found = shared([(first, [1], []), (second, [2], [1]), (second, [3], [])], MemoryIndex())

    assert found[names(0).pop()] == found[names(2).pop()] == names(1)
    assert found[names(1).pop()] == names(0, 2)
