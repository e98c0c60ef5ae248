"""Tests of the rows of a pane: from live output, and from the history of tmux."""

from hypothesis import given
from hypothesis import strategies as st

from chorus.steer.tmux.rows import Rows, begins_stream
from tests.steer.tmux.streams import flat_events, printed, session_lines

RECORDS = printed("Hello", "from a pane").splitlines()


def test_records_with_a_session_begin_a_stream():
    """What a client prints begins a stream; lines of a session file, other JSON and text do not."""
    assert begins_stream(RECORDS[0])
    assert begins_stream(b"\x1b[?2004l\r" + RECORDS[0])
    assert begins_stream(flat_events().splitlines()[0])
    assert not any(map(begins_stream, session_lines().splitlines()))
    for other in (
        b"",
        b"{",
        b"$ ls",
        b'{"type":"error"}',
        b'{"level":"info"}',
        b'{"type":"text","text":"x"}',
        b"{" * 5000,
    ):
        assert not begins_stream(other), other


@given(st.binary().filter(lambda row: b"\n" not in row))
def test_no_row_raises(row):
    """Any bytes are a row."""
    assert begins_stream(row) in (True, False)


@given(st.lists(st.binary(max_size=20), max_size=20), st.integers(1, 7))
def test_live_output_is_kept_byte_for_byte(rows, size):
    """In pieces of any size, the complete rows come out as they went in."""
    data = b"".join(row.replace(b"\n", b"") + b"\r\n" for row in rows)
    made, found = Rows(), b""
    for start in range(0, len(data), size):
        found += made.take(data[start : start + size])
    assert found == data


def test_the_history_fills_a_gap_once():
    """Rows that were printed during a gap are added; those before it are not repeated."""
    rows = [b"row %d" % n for n in range(500)]
    made = Rows()
    made.take(b"".join(row + b"\r\n" for row in rows[:300]))
    assert made.fill(rows[250:500], is_at_row_start=True) == b"".join(row + b"\r\n" for row in rows[300:])
    assert made.fill(rows[250:500], is_at_row_start=True) == b""


def test_rows_that_are_equal_are_counted():
    """Of five equal rows, three of which are known, two are new."""
    same = b'{"type":"text","text":"again"}'
    made = Rows()
    made.take(b"first\r\n" + (same + b"\r\n") * 3)
    assert made.fill([b"first"] + [same] * 5, is_at_row_start=True).count(same) == 2


def test_a_history_that_was_cut_is_taken_from_where_it_begins():
    """If older rows are gone, the first one that is left may be cut; what comes after it is complete."""
    made = Rows()
    assert (
        made.fill([b'"}', RECORDS[0], RECORDS[1]], is_at_row_start=True) == RECORDS[0] + b"\r\n" + RECORDS[1] + b"\r\n"
    )
    made = Rows()
    made.take(b"one\r\ntwo\r\n")
    assert made.fill([b"o", b"three"], is_at_row_start=True) == b"o\r\nthree\r\n"
    made = Rows()
    made.take(b"one\r\ntwo\r\n")
    assert made.fill([b"ne", b"two", b"three"], is_at_row_start=True) == b"three\r\n"


def test_an_incomplete_row_is_completed_by_live_output():
    """A row of which the history has only the beginning is written when its end arrives."""
    made = Rows()
    assert made.fill([RECORDS[0], RECORDS[1][:30]], is_at_row_start=False) == RECORDS[0] + b"\r\n"
    assert made.take(RECORDS[1][30:] + b"\r\n") == RECORDS[1] + b"\r\n"


def test_the_prompt_of_a_shell_is_no_part_of_a_stream():
    """When the program has ended, the last row is kept only if a record begins in it."""
    made = Rows()
    made.take(b"done\r\n\x1b[?2004huser@host $ secret")
    assert made.end() == b""
    made.take(b'{"type":"ass')
    assert made.end() == b'{"type":"ass'
