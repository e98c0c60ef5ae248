"""Tests of rows: the text inside a captured row, and the places of its bytes."""

from functools import partial

import pytest

from chorus.core.records.rows import Row
from chorus.testing.work import steps
from tests.support.terminal_fuzz import texts


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b'{"a":1}\n', b'{"a":1}'),
        (b'{"a":1}\r\n', b'{"a":1}'),
        (b'{"a":1}', b'{"a":1}'),
        (b"\n", b""),
        (b"", b""),
        (b"\x1b[?2004l\r{}\r\n", b"\r{}"),
        (b"\x1b[1;31m{\x1b[0m}\n", b"{}"),
        (b"\x1b[38:2::1:2:3m{}", b"{}"),
        (b"\x1b]0;a title\x07{}", b"{}"),
        (b"\x1b]8;;https://example.org\x1b\\{}\x1b]8;;\x1b\\", b"{}"),
        (b"\x1bP1$r0m\x1b\\{}", b"{}"),
        (b"\x1b7{}\x1b8", b"{}"),
        (b"{}\x1b", b"{}"),
        (b"\x1b\x1b[1m{}", b"{}"),
        (b"\x1b]0;never ended {}", b"0;never ended {}"),
        (b"  {} \n", b"  {} "),
    ],
)
def test_a_row_has_text_without_escapes(raw, text):
    """The text of a row includes blanks, but no line ends and no ANSI escapes."""
    row = Row(raw, 0)

    assert (row.text, row.raw) == (text, raw)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a":1}',
        b"\x1b[1m{\x1b[0m}\x1b[m\r\n",
        b'{"\x1b[1ma\x1b[2mb\x1b[3m":"c"}\n',
        b"\x1b[1m\x1b[2m{}\n",
        b"{}\x1b[0m\n",
    ],
)
def test_every_byte_of_the_text_is_found_in_the_row(raw):
    """The place of each byte of the text leads to the same byte in the row, and places only increase."""
    row = Row(raw, 0)
    places = [row.raw_index(n) for n in range(len(row.text))]

    assert bytes(raw[place] for place in places) == row.text
    assert places == sorted(set(places))


@pytest.mark.parametrize(
    ("text", "in_array", "at"),
    [
        (b"{}", False, 0),
        (b" \t\r{}", False, 3),
        (b"\xef\xbb\xbf{}", False, 3),
        (b"\0\0\0{}", False, 3),
        (b"\x07\x08{}", False, 2),
        (b",{}", False, 0),
        (b"[{}", False, 0),
        (b", {}", True, 2),
        (b"] , [{}", True, 5),
        (b"   ", False, 3),
        (b"", False, 0),
    ],
)
def test_filling_is_distinguished_from_content(text, in_array, at):
    """Blanks, BOM and NUL are filling, and so is the punctuation of an array inside an array."""
    assert Row(text, 0).content_start(0, in_array=in_array) == at


def test_finding_bytes_in_a_coloured_row_is_not_quadratic():
    """A row with four times the escapes takes about four times the steps to find all its bytes."""

    def find_all(times):
        row = Row(b"\x1b[1ma" * times, 0)
        return lambda: [row.raw_index(n) for n in range(times)]

    assert steps(find_all(400)) <= 6 * steps(find_all(100))


def test_no_escape_of_five_thousand_sequences_is_text():
    """Security table, row B6: none of 5,000 generated sequences leaves an escape in the text.

    Each byte of the text is found in the row.
    """
    for text in texts(5_000, seed=61):
        raw = text.encode("utf-8", "surrogatepass")
        row = Row(raw, 0)
        places = [row.raw_index(n) for n in range(len(row.text))]

        assert b"\x1b" not in row.text and row.raw == raw
        assert bytes(raw[place] for place in places) == row.text


def test_taking_a_row_apart_is_linear():
    """Security table, row B6: twice as much of any kind of sequence takes at most twice the steps."""
    for text in [*texts(100, seed=62), "\x1b[;;;", "\x1b]0;", "\x1bP", "\x1b"]:
        raw = text.encode("utf-8", "surrogatepass")
        once, twice = (steps(partial(Row, raw * many, 0)) for many in (40, 80))

        assert twice <= 2.1 * once + 5
