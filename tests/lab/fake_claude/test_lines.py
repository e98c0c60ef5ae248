"""Tests of lines with any bytes."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from chorus.lab.fake_claude.lines import blocks, calls, message_text, read, read_all, results, text_at

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["type", "message", "content", "id", "text"]), inner)
    ),
)


@given(st.binary())
def test_lines_tile_their_bytes(data):
    """The lines of any file, joined, are the file, and only the last line may have no newline."""
    lines = read_all(data)

    assert b"".join(line.raw for line in lines) == data
    assert all(line.raw.endswith(b"\n") for line in lines[:-1])


@given(st.dictionaries(st.sampled_from(["type", "message"]), JSON))
def test_any_object_can_be_looked_into(value):
    """Fields of unexpected shape are empty and raise no error."""
    line = read(msgspec.json.encode(value))

    assert isinstance(line.kind, str) and isinstance(message_text(line.value), str)
    assert calls(line) == [] or line.kind == "assistant"
    assert results(line) == [] or line.kind == "user"
    assert all(isinstance(block, dict) for block in blocks(line))


def test_what_is_no_object_is_unread():
    """A blank line is not unread; text, arrays and broken JSON are unread and have no type."""
    assert not read(b"\n").is_unread
    for raw in (b"hello\n", b"[1]\n", b'{"type":', b"\xff\xfe", b'{"a":' * 100_000):
        line = read(raw)
        assert (line.is_unread, line.value, text_at(line.value, "type")) == (True, {}, "")
