"""Tests leaves that are stored by columns: entries come back whole or in part, and mixed-up columns are damage."""

from types import NoneType
from typing import get_args, get_type_hints

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.core.conversation.items import Author, Message, ModeChange, ModelTokens, Order, Tokens
from chorus.core.records.place import Place
from chorus.find.index.rows import RESULT, Entry, Header, Part
from chorus.find.index.sqlite.fields import KINDS
from chorus.find.index.sqlite.packing import Unpackable, Unpacked, compress, decompress, pack, pack_numbers, unpack
from chorus.testing.builders import Session, tool_use
from chorus.testing.indexes import writings_of

NUMBERS = st.integers(0, 5) | st.integers(0, 1 << 50)
UUIDS = ["0a7c1b1e-25f1-4a5c-9d51-6a1c6f0f2a77", "5b8f2f0e-2f5c-4d0e-9d51-6a1c6f0f2a77"]
NAMES = ["a", "b", "call:a", "call:b", "result:a", "a:0", "", "\x00", "\x01", UUIDS[0].upper()]
TEXTS = st.sampled_from([*NAMES, *UUIDS, f"note:{UUIDS[0]}", f"{UUIDS[1]}:0", "".join(UUIDS)]) | st.text(max_size=3)
"""Few and often the same, so that much is as it is expected to be, and much just not so."""
MODELS = st.lists(st.builds(ModelTokens, TEXTS, st.builds(Tokens, NUMBERS, NUMBERS)), max_size=2).map(tuple)
PLACES = st.builds(Place, TEXTS, NUMBERS, NUMBERS)
ORDERS = st.tuples(TEXTS, NUMBERS, TEXTS, NUMBERS, NUMBERS)
PARTS = st.builds(Part, TEXTS, ORDERS, PLACES, NUMBERS, st.just(RESULT) | TEXTS, st.none() | TEXTS)


def anything(hint):
    """Returns a value that a field of this type may have."""
    if NoneType in get_args(hint):
        (other,) = set(get_args(hint)) - {NoneType}
        return st.none() | anything(other)
    known = {
        str: TEXTS,
        int: NUMBERS,
        float: st.floats(allow_nan=False),
        Place: PLACES,
        Tokens: st.builds(Tokens, NUMBERS, NUMBERS),
        tuple[ModelTokens, ...]: MODELS,
        Order: ORDERS,
    }
    return known[hint] if hint in known else st.from_type(hint)


ITEMS = [st.builds(kind, **{name: anything(hint) for name, hint in get_type_hints(kind).items()}) for kind in KINDS]
ENTRIES = st.builds(
    Entry, st.one_of(ITEMS), st.lists(PARTS, max_size=3).map(tuple), NUMBERS, st.just(0), st.integers(0, 1 << 32)
)


def numbers_of(entries):
    return pack_numbers([0] * len(entries))


@given(st.lists(ENTRIES, max_size=12), st.data())
def test_what_is_packed_comes_back(entries, data):
    """A packed leaf gives back all its entries, and also any part of them without the rest."""
    leaf = Unpacked(pack(entries), numbers_of(entries))
    start = data.draw(st.integers(0, len(entries)))
    stop = data.draw(st.integers(start, len(entries)))

    assert leaf.entries() == entries
    assert leaf.entries(start, stop) == entries[start:stop]
    assert leaf.orders == [entry.order for entry in entries]


def test_more_than_there_is_can_be_asked_for():
    """A page that reaches over the ends of a leaf gets the entries that the leaf has."""
    entries = [Entry(ModeChange(id=str(n), order=("t", 0, "s", n, 0), mode="plan")) for n in range(3)]

    assert Unpacked(pack(entries), numbers_of(entries)).entries(-7, 9) == entries


CHANGES = [
    lambda column: [],
    lambda column: column[1:],
    lambda column: column + column[:1],
    lambda column: column[::-1],
    lambda column: [None] * len(column),
    lambda column: [99] * len(column),
    lambda column: ["text"] * len(column),
]


@pytest.mark.parametrize("change", CHANGES, ids=range(len(CHANGES)))
def test_columns_that_do_not_belong_together_are_damage(change):
    """If a column is too short, too long or from another leaf, the leaf is either read or reported as damaged."""
    talk = Session()
    talk.user("hi")
    talk.assistant(tool_use("Bash", {"command": "ls"}, id="toolu_1"))
    talk.tool_result("toolu_1", "done")
    (writing,) = writings_of(talk)
    entries = [put.entry for put in writing.put]
    entries.append(Entry(ModeChange(id="other", order=("t", 0, "another stream", 0, 0), mode="plan")))
    told = 0
    for n in range(len(list(lists_in(columns_in(entries))))):
        columns = columns_in(entries)
        broken = list(lists_in(columns))[n]
        broken[:] = change(broken)
        try:
            found = unpack(compress(msgspec.msgpack.encode(columns)), numbers_of(entries))
        except (Unpackable, msgspec.MsgspecError):
            told += 1
        else:
            assert len(found) == len(entries)
    assert told


def test_what_is_expected_takes_no_room():
    """An id or a time that several fields repeat is stored once."""
    entries = [message(n) for n in range(9)]
    stored = list(texts_in(msgspec.msgpack.decode(decompress(pack(entries)))))

    assert [stored.count(entry.id) for entry in entries] == [1] * 9
    assert [stored.count(entry.order[0]) for entry in entries] == [1] * 9


def test_there_are_columns_for_every_kind_of_entry():
    """Every kind of entry has columns, because a kind without them could not be stored."""
    assert set(KINDS) == set(get_args(Header))


def message(n):
    name, time = f"id-{n}", f"2026-01-01T00:00:0{n}.000Z"
    return Entry(
        Message(
            id=name,
            order=(time, 0, "s", n, 0),
            role="user",
            author=Author.HUMAN,
            uuid=name,
            parent=f"id-{n - 1}" if n else None,
            started_at=time,
            ended_at=time,
        )
    )


def columns_in(entries):
    """Returns the columns of a leaf as lists."""
    return msgspec.msgpack.decode(decompress(pack(entries)))


def lists_in(value):
    if isinstance(value, list):
        yield value
        for each in value:
            yield from lists_in(each)


def texts_in(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from texts_in(each)
