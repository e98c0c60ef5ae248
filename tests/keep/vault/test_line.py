"""Tests the stored form of one line, which is exact, checked, and readable by any JSON tool."""

import json
import sys
from uuid import uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.keep.vault.line import NAMESPACE, decode, encode, line_id

BODIES = st.one_of(
    st.binary(max_size=200),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=100).map(str.encode),
    st.dictionaries(
        st.sampled_from(["timestamp", "costUSD", "durationMs", "total_cost_usd", "claudeMessage", "raw", "x"]),
        st.one_of(st.none(), st.floats(allow_nan=False), st.integers(), st.text(max_size=30), st.booleans()),
    ).map(lambda value: json.dumps(value).encode()),
).map(lambda body: body.replace(b"\n", b""))
ENDS = st.sampled_from([b"\n", b"\r\n", b""])


def stored(line: bytes, *, offset: int = 70, follows: int | None = None) -> bytes:
    return encode(
        line,
        conversation="c",
        agent="main",
        stream="session",
        seq=3,
        offset=offset,
        seen_at="2026-01-01",
        follows=follows,
    )


@given(BODIES, ENDS, st.integers(0, 2**53), st.one_of(st.none(), st.integers(0, 2**53)))
def test_any_line_comes_back(body: bytes, end: bytes, offset: int, follows: int | None) -> None:
    """Any line is stored as one line of JSON, and decoding gives its bytes and its place."""
    kept = stored(body + end, offset=offset, follows=follows)
    found = decode(kept)

    assert found.bytes == body + end
    assert (found.head.offset, found.head.follows, found.head.seq) == (offset, follows, 3)
    assert kept.index(b"\n") == len(kept) - 1
    assert json.loads(kept)["id"] == found.head.id


@given(BODIES, st.data())
def test_a_flipped_bit_anywhere_is_noticed(body: bytes, data: st.DataObject) -> None:
    """A changed bit anywhere in a stored line, also in its envelope, is noticed as damage."""
    kept = bytearray(stored(body + b"\n"))
    place = data.draw(st.integers(0, len(kept) - 2))
    kept[place] ^= 1 << data.draw(st.integers(0, 7))

    with pytest.raises(ValueError, match=r"."):
        decode(bytes(kept))


@given(st.text(max_size=20), st.text(max_size=20), st.integers(0, 9), st.integers(0, 2**60))
def test_the_id_is_a_uuid5(conversation: str, stream: str, revision: int, offset: int) -> None:
    """Any other tool gets the same id from the same place."""
    assert line_id(conversation, stream, revision, offset) == str(
        uuid5(NAMESPACE, f"{conversation}\n{stream}\n{revision}\n{offset}")
    )


def test_time_cost_and_duration_are_the_records_own() -> None:
    """Time, cost and duration are copied only from the record.

    Without a time in the record, the time of seeing it is stored and marked.
    """
    spoken = json.loads(stored(b'{"timestamp":"2026-02-03T04:05:06Z","costUSD":0.25,"durationMs":7}\n'))
    silent = json.loads(stored(b'{"type":"summary"}\n'))

    assert (spoken["timestamp"], spoken["costUSD"], spoken["durationMs"]) == ("2026-02-03T04:05:06.000Z", 0.25, 7)
    assert "seen" not in spoken
    assert (silent["timestamp"], silent["seen"]) == ("2026-01-01", True)
    assert not {"costUSD", "durationMs"} & set(silent)


def test_how_deep_the_reader_stands_does_not_matter() -> None:
    """A deeply nested record can be read at any depth of the stack."""
    body = b'{"a":' * 400 + b"1" + b"}" * 400
    kept = stored(body)

    def read(depth: int) -> bytes:
        return decode(kept).bytes if depth == 0 else read(depth - 1)

    frame, used = sys._getframe(), 0
    while frame:
        frame, used = frame.f_back, used + 1
    assert read(sys.getrecursionlimit() - used - 60) == body
