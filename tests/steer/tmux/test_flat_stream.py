"""Tests of the request at the end of a stream of flat events."""

import pytest

from chorus.steer.tmux.flat_stream import LONGEST_REQUEST, FlatStream
from chorus.testing.builders import Flat


def stream_of(*prompts, then=()):
    """Returns a stream after a session, some requests and some texts."""
    flat = Flat()
    flat.start("flat-1")
    for prompt in prompts:
        flat.permission_request(prompt)
    for text in then:
        flat.text(text)
    stream = FlatStream()
    stream.take(bytes(flat))
    return stream


def test_the_last_record_is_unanswered():
    """A request at the end is open, with the record as it was printed and the session of its stream."""
    stream = stream_of("Allow `make`?")
    assert stream.session == "flat-1"
    assert stream.request is not None
    assert '"Allow `make`?"' in stream.request.text


@pytest.mark.parametrize(
    "rows", [b'{"type":"text","text":"permission_request"}\n', b'{"type":"tool_use"\n', b"$ echo {}\n"]
)
def test_anything_after_it_ends_it(rows):
    """A record, a damaged record, and a row that cannot be read: after each of them nothing is open."""
    stream = stream_of("Allow?")
    stream.take(rows)
    assert stream.request is None


def test_rows_without_a_record_end_nothing():
    """A question of the program and the echo of keys are no records."""
    stream = stream_of("Allow?")
    stream.take(b"Allow? [y/n] y\r\n\r\n")
    assert stream.request is not None


@pytest.mark.parametrize("count", [2, 3, 4])
def test_requests_in_a_row_are_not_clear(count):
    """It cannot be seen to which of them an answer would go, so none of them is open."""
    assert stream_of(*(["Allow?"] * count)).request is None


def test_a_request_after_an_answer_is_clear():
    """A program that asks again after the answer of Chorus has gone on, and its request is open."""
    stream = stream_of("Allow?")
    stream.answer()
    assert (stream.request, stream.has_gone_on) == (None, False)
    flat = Flat()
    flat.permission_request("Allow more?")
    stream.take(bytes(flat))
    assert stream.has_gone_on
    assert stream.request is not None and stream.request.number == 2


def test_a_request_that_nobody_could_judge_is_only_shown():
    """Without a prompt, or longer than a card can show, a request is not open."""
    assert stream_of("").request is None
    assert stream_of("x" * LONGEST_REQUEST).request is None
