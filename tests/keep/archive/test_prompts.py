"""Tests how lines of the prompt history become records."""

import pytest

import chorus
from chorus.keep.archive.prompts import prompt_record


def record_of(line):
    (record,) = chorus.read(line)
    return record


def test_a_prompt_keeps_its_bytes_and_place():
    """The record of a history line has the bytes and the place of the line."""
    line = record_of(b'{"display":"Hi","timestamp":1767000000000,"project":"/p","sessionId":"s"}\n')

    prompt = prompt_record(line, "c")

    assert (prompt.type, prompt.raw, prompt.place) == ("user", line.raw, line.place)
    assert prompt.value.sessionId == "s" and prompt.value.timestamp == "2025-12-29T09:20:00.000Z"


@pytest.mark.parametrize("line", [b'{"display":7}\n', b"{}\n", b'{"type":"user"}\n', b"nonsense\n"])
def test_what_is_no_prompt_stays_what_it_is(line):
    """A line of another shape is not changed, so it is shown as unknown."""
    record = record_of(line)

    assert prompt_record(record, "c") is record


@pytest.mark.parametrize("time", [b"1e300", b"-1e300", b"null"])
def test_a_time_out_of_reach_is_none(time):
    """An invalid time in the data becomes no time, and reading continues."""
    prompt = prompt_record(record_of(b'{"display":"Hi","timestamp":%s}\n' % time), "c")

    assert prompt.type == "user" and prompt.value.timestamp is None and prompt.value.sessionId == "c"
