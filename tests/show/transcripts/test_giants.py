"""Tests that pages and outlines of messages with thousands of blocks cost as much per block as small ones."""

import time

import pytest

from chorus.show.transcripts.detail import detail
from chorus.show.transcripts.outline import outline
from chorus.testing.builders import Session, image, tool_use
from chorus.testing.builders.lines import usage
from tests.show.transcripts.reading import read

FEW, TIMES = 300, 4
"""A message of so many blocks is compared with one of `TIMES` as many."""
MOST = 9.0
"""Linear costs are `TIMES` as high, quadratic ones its square."""


def text_blocks(count):
    return [{"type": "text", "text": f"text {number}"} for number in range(count)]


def calls(count):
    return [tool_use("Bash", {"command": f"echo {number}"}, id=f"c{number}") for number in range(count)]


def in_one_line(talk, content):
    """Adds an answer whose blocks are all in one record."""
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "usage": usage()}
    talk.chain("assistant", message={**message, "content": content}, requestId="r1")


def answer(talk, count):
    in_one_line(talk, text_blocks(count))


def answer_in_many_lines(talk, count):
    talk.assistant(*text_blocks(count))


def prompt(talk, count):
    talk.user(text_blocks(count))


def pictures(talk, count):
    talk.user([image() for _ in range(count)])


def calls_in_one_line(talk, count):
    in_one_line(talk, calls(count))
    for number in range(count):
        talk.tool_result(f"c{number}", f"out {number}")


def results_in_one_line(talk, count):
    talk.assistant(*calls(count))
    talk.user([{"type": "tool_result", "tool_use_id": f"c{n}", "content": f"out {n}"} for n in range(count)])


def pictures_given(talk, count):
    talk.assistant(*calls(count))
    talk.user([{"type": "tool_result", "tool_use_id": f"c{n}", "content": [image()]} for n in range(count)])


def branches(talk, count):
    talk.assistant("from here")
    at = talk.leaf
    for number in range(count):
        talk.leaf = at
        talk.user(f"another way {number}")


SHAPES = (
    answer,
    answer_in_many_lines,
    prompt,
    pictures,
    calls_in_one_line,
    results_in_one_line,
    pictures_given,
    branches,
)


def spent(tmp_path, shape, count):
    """Returns the least processor time, of several tries, for reading everything that a page asks for."""
    talk = Session()
    talk.user("go")
    shape(talk, count)
    found = read(tmp_path, talk)
    tries = []
    for _ in range(3):
        found.transcripts._slots.clear()
        begun = time.process_time()
        opened = found.opened
        found.page(after="", limit=50)
        found.page(limit=50)
        outline(opened, found.index)
        detail(opened, found.index)
        tries.append(time.process_time() - begun)
    return min(tries)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_a_giant_message_costs_as_much_for_each_block_as_a_small_one(tmp_path, shape):
    """Opening a conversation and reading its ends, outline and facts takes time in proportion to its blocks."""
    few, many = spent(tmp_path, shape, FEW), spent(tmp_path, shape, FEW * TIMES)

    assert many / few < MOST, f"{many / few:.1f} times the time for {TIMES} times the blocks"
