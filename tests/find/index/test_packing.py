"""Tests entries as bytes: they come back with their numbers, and bytes that cannot be a leaf are reported as damage."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.core.conversation.items import ModeChange
from chorus.find.index.rows import Entry
from chorus.find.index.sqlite.packed import packed
from chorus.find.index.sqlite.packing import MAX_WHOLE, Unpackable, pack, pack_numbers, unpack
from chorus.testing.builders import Session
from chorus.testing.indexes import writings_of


def entries(numbers):
    return [
        Entry(ModeChange(id=str(n), order=("2026-01-01T00:00:00.000Z", 0, "s", n, 0), mode="plan"), number=number)
        for n, number in enumerate(numbers)
    ]


@given(st.lists(st.just(0) | st.integers(1, 1 << 40), max_size=20, unique_by=lambda number: number or object()))
def test_numbers_come_back(numbers):
    """Numbers come back in any order, and also where some are missing. They are not part of the packed bytes."""
    leaf = entries(numbers)

    assert unpack(pack(leaf), pack_numbers(numbers)) == leaf
    assert pack(leaf) == pack(entries([0] * len(numbers)))


def test_a_leaf_without_its_numbers_is_damaged():
    """A leaf with the numbers of another leaf is reported as damaged."""
    with pytest.raises(Unpackable):
        unpack(pack(entries([1, 2, 3])), pack_numbers([1, 2]))


def test_a_whole_conversation_is_made_ready():
    """The leaves contain all entries in order, with the time and the searchable text of each entry."""
    talk = Session()
    for n in range(MAX_WHOLE):
        talk.user(f"prompt {n}")
        talk.assistant(f"answer {n}")
    (writing,) = writings_of(talk)
    ready = packed(writing)

    found = [entry for leaf in ready.leaves for entry in unpack(leaf.data, pack_numbers([0] * len(leaf.documents)))]
    assert found == sorted((put.entry for put in writing.put), key=lambda entry: entry.key)
    assert all(len(leaf.documents) <= MAX_WHOLE for leaf in ready.leaves)
    assert ready.put == []
    assert ready.chars > writing.chars
    said = [text for leaf in ready.leaves for _, text in leaf.documents]
    assert sum("prompt" in text for text in said) == sum("answer" in text for text in said) == MAX_WHOLE
