"""Tests of the rows of a conversation that is still running."""

from chorus.core.records.place import StreamId
from chorus.core.records.record import Record
from chorus.core.records.split import Splitter
from chorus.core.views.blocks import Prose
from chorus.core.views.rows import MessageRow, NoticeRow, ToolCall, TurnRow
from chorus.core.views.unfolding import LiveRows
from chorus.testing.builders import Run, tool_use


def records(run):
    return [piece for piece in Splitter(StreamId("run")).feed(bytes(run)) if isinstance(piece, Record)]


def talk():
    run = Run()
    run.init()
    run.user("Clean up")
    run.assistant("I look.", tool_use("Bash", {"command": "ls"}, id="toolu_1"))
    run.tool_result("toolu_1", "build")
    run.assistant("There is only build.")
    run.result("There is only build.")
    return run


def test_every_row_is_settled_once_and_in_order():
    """Reading record by record or all at once gives the same rows, and no row twice."""
    slow, settled = LiveRows("s"), []
    for record in records(talk()):
        slow.feed(record)
        settled += slow.rows()[0]
    settled += slow.rows(is_over=True)[0]
    quick = LiveRows("s")
    for record in records(talk()):
        quick.feed(record)

    assert [row.id for row in settled] == [row.id for row in quick.rows(is_over=True)[0]]
    assert len({row.id for row in settled}) == len(settled) == 4


def test_errors_of_the_api_are_settled_together():
    """While the client retries, one row changes; the next record of another kind makes it final."""
    run = Run()
    for attempt in (1, 2):
        run.system("api_retry", error="overloaded", error_status=529, attempt=attempt)
    run.assistant("Here I am.")
    run.result("Here I am.")
    unfolding = LiveRows("s")
    seen = []
    for record in records(run):
        unfolding.feed(record)
        seen.append([[type(row) for row in some] for some in unfolding.rows()])

    assert seen == [[[], [NoticeRow]], [[], [NoticeRow]], [[NoticeRow], [MessageRow]], [[MessageRow, TurnRow], []]]


def test_what_was_tried_again_stands_below_its_prompt():
    """Retries are shown below their prompt.

    The client repeats the prompt only when the API begins to answer it, so the records of the retries come first.
    """
    run = Run()
    for attempt in (1, 2):
        run.system("api_retry", error="overloaded", error_status=529, attempt=attempt)
    run.user("Say something.")
    run.assistant("At last.")
    run.result("At last.")
    run.system("api_retry", error="overloaded", error_status=529, attempt=1)
    run.result("Interrupted.")
    run.user("Again.")
    unfolding, told = LiveRows("s"), []
    for record in records(run):
        unfolding.feed(record)
        told += unfolding.rows()[0]
    told += unfolding.rows(is_over=True)[0]

    kinds = [MessageRow, NoticeRow, MessageRow, TurnRow, NoticeRow, TurnRow, MessageRow]
    assert [type(row) for row in told] == kinds
    whole = LiveRows("s")
    for record in records(run):
        whole.feed(record)
    assert [row.id for row in whole.rows(is_over=True)[0]] == [row.id for row in told]


def test_a_message_with_a_call_waits_for_what_comes_of_it():
    """A message with a running call is not final, so that it is shown once, together with its result."""
    unfolding = LiveRows("s")
    seen = []
    for record in records(talk()):
        unfolding.feed(record)
        settled, rest = unfolding.rows()
        seen.append(([type(row) for row in settled], [type(row) for row in rest]))

    assert seen[1] == ([MessageRow], [])  # the prompt
    assert seen[3] == ([], [MessageRow])  # the call runs
    assert seen[5] == ([MessageRow], [MessageRow])  # the next message makes it final
    assert seen[6] == ([MessageRow, TurnRow], [])


def test_words_before_a_call_are_available_while_the_call_waits():
    """Text before a running call is available early, and then the final row contains only the call."""
    unfolding = LiveRows("s")
    early, settled = [], []
    for record in records(talk()):
        unfolding.feed(record)
        settled += unfolding.rows()[0]
        early.append(unfolding.beginnings())
    settled += unfolding.rows(is_over=True)[0]

    assert [[type(piece) for row in some for piece in row.pieces] for some in early if some] == [[Prose]]
    assert early[3][0].pieces == (Prose(markdown="I look."),)
    call = settled[1]
    assert call.id == early[3][0].id
    assert [type(piece) for piece in call.pieces] == [ToolCall]
    assert early[3][0].tokens and not call.tokens
