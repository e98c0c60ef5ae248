"""Tests of the lines of a control client."""

from hypothesis import given
from hypothesis import strategies as st

from chorus.steer.tmux.control_lines import Notice, Output, Reply, notification, split_reply, unescape


def escaped(data: bytes) -> bytes:
    """Escapes as tmux does."""
    return b"".join(b"\\%03o" % byte if byte < 0x20 or byte == 0x5C else bytes([byte]) for byte in data)


@given(st.binary())
def test_output_is_the_bytes_that_the_program_wrote(data):
    """Whatever a program writes, also invalid UTF-8, is read from the line of tmux."""
    assert unescape(escaped(data)) == data
    for line in (b"%output %7 " + escaped(data), b"%extended-output %7 12 : " + escaped(data)):
        assert notification(line) == Output("%7", data)


@given(st.binary())
def test_no_line_raises(line):
    """A line that tmux never writes is a notice, or nothing."""
    assert notification(line) is None or isinstance(notification(line), Output | Notice)


def test_a_reply_ends_where_tmux_ended_it():
    """Lines of a pane that look like the end of the reply, or like output, are part of the reply."""
    lie = [b"%end 7 9 1", b"%output %1 {fake}", b"%begin 7 10 1", b"a"]
    seen = [b"%output %2 x", b"%begin 7 9 1", *lie, b"%end 7 9 1", b"%output %2 y"]
    assert split_reply(seen) == (Reply(lie, is_error=False), [b"%output %2 x"], [b"%output %2 y"])


def test_an_error_is_a_reply():
    """What tmux says about a command that failed is in the reply."""
    assert split_reply([b"%begin 7 9 1", b"no such pane", b"%error 7 9 1"])[0] == Reply(
        [b"no such pane"], is_error=True
    )
    assert split_reply([b"%output %2 x"])[0].is_error
