"""Tests that rows that are too long are cut and say so."""

from typing import Any

import msgspec
import pytest

from chorus.core.views import blocks
from chorus.core.views.rows import MessageRow, NoticeRow, Row, ToolCall
from chorus.show.transcripts.cutting import BLOCK_CHARS, ROW_CHARS, WHOLE_CHARS, cut

LONG = "x" * (BLOCK_CHARS + 100)


def message(*pieces):
    return MessageRow(id="m", author="model", pieces=pieces)


def only(row) -> Any:
    shown: Any = cut(row)[0]
    (piece,) = shown.pieces
    return piece


@pytest.mark.parametrize(
    "block",
    [
        blocks.Prose(markdown=LONG),
        blocks.Thinking(text=LONG),
        blocks.Code(text=LONG),
        blocks.Shell(command=LONG),
        blocks.Output(text=LONG),
        blocks.Json(text=LONG),
        blocks.Plan(markdown=LONG),
        blocks.Note(text=LONG),
        blocks.Unread(reason="r", text=LONG, place="p"),
        blocks.Diff(path="p", hunks=(blocks.Hunk(old_start=1, new_start=1, lines=tuple(["+" + "y" * 99] * 1000)),)),
        blocks.Diff(path="p", hunks=(blocks.Hunk(old_start=1, new_start=1, lines=("+" + LONG,)),)),
        blocks.Todos(items=tuple(blocks.TodoItem(text="z" * 1000, status="done") for _ in range(100))),
        blocks.Links(links=tuple(blocks.Link(title="t" * 1000, url="u") for _ in range(100))),
        blocks.Question(header="h", question="q", options=tuple(blocks.Option(label="o" * 1000) for _ in range(100))),
    ],
    ids=lambda block: type(block).__name__,
)
def test_every_block_can_be_cut(block):
    """A long block of any kind is cut, says how much is missing, and is complete when it is asked for by itself."""
    shown = only(message(block))

    assert shown.cut_chars > 0
    assert len(msgspec.json.encode(shown)) < BLOCK_CHARS * 1.2
    assert cut(message(block), is_whole=True)[0] == message(block)


def test_a_short_row_is_left_as_it_is():
    """A row that needs no cut does not change."""
    row = message(blocks.Prose(markdown="hello"), blocks.Json(text="{}"))

    assert cut(row)[0] is row


def test_what_is_left_of_a_diff_is_its_beginning():
    """A cut diff keeps the first hunks and lines that fit, in their order."""
    hunks = tuple(
        blocks.Hunk(old_start=n, new_start=n, lines=tuple(f"+{n}{line}" * 50 for line in range(100))) for n in range(40)
    )
    shown = only(message(blocks.Diff(path="p", hunks=hunks)))

    assert isinstance(shown, blocks.Diff)
    assert shown.hunks[:3] == hunks[:3]
    kept = sum(len(line) for hunk in shown.hunks for line in hunk.lines)
    assert kept + shown.cut_chars == sum(len(line) for hunk in hunks for line in hunk.lines)


def test_of_a_long_output_the_end_is_kept():
    """A cut output keeps its beginning and its last lines, because the end shows the outcome."""
    text = "".join(f"line {number}\n" for number in range(20_000)) + "the end"
    shown = only(message(blocks.Output(text=text)))

    assert text.startswith(shown.text) and text.endswith(shown.tail)
    assert shown.tail.startswith("line 1") and shown.tail.endswith("\nthe end")
    assert len(shown.text) + shown.cut_chars + len(shown.tail) == len(text)
    assert len(shown.text) + len(shown.tail) <= BLOCK_CHARS


def test_the_end_of_an_output_without_lines_is_kept_as_well():
    """A cut output that is one long line also keeps its end."""
    shown = only(message(blocks.Output(text=LONG + "\n")))

    assert shown.tail.endswith("x\n") and len(shown.text) + shown.cut_chars + len(shown.tail) == len(LONG) + 1


def test_a_row_has_a_bound_of_its_own():
    """Many long blocks in one row share the limit of the row."""
    call = ToolCall(
        id="c", name="Bash", label="Bash", title="t" * 100_000, state="done", given=(blocks.Output(text=LONG),)
    )
    row, size = cut(message(*[call] * 40))

    assert len(msgspec.json.encode(row)) < ROW_CHARS * 1.3
    assert size <= ROW_CHARS * 1.1
    assert isinstance(row, MessageRow) and len(row.pieces) == 40


def test_a_row_by_itself_has_a_bound_too():
    """A whole row also has a limit, so that it does not use all memory."""
    row, _ = cut(message(blocks.Output(text="x" * (WHOLE_CHARS + 5))), is_whole=True)

    assert isinstance(row, MessageRow)
    (output,) = row.pieces
    assert isinstance(output, blocks.Output)
    assert (len(output.text) + len(output.tail), output.cut_chars) == (WHOLE_CHARS, 5)


@pytest.mark.parametrize(
    "row",
    [
        message(blocks.Prose(markdown="half \ud800 of")),
        NoticeRow(
            id="n\udfff", title="\ud800", blocks=(blocks.Todos(items=(blocks.TodoItem(text="\ud800", status=""),)),)
        ),
        message(blocks.Diff(path="\ud800", hunks=(blocks.Hunk(old_start=1, new_start=1, lines=("+\ud800",)),))),
    ],
)
def test_half_characters_are_replaced(row: Row):
    """Half characters are replaced by U+FFFD, so that every row can be encoded."""
    shown, _ = cut(row)

    assert "\ufffd" in msgspec.json.encode(shown).decode()
