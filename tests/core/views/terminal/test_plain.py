"""Tests of plain text in the terminal: it is wrapped as rich wraps it, in linear time."""

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from chorus.core.views.terminal.frame import Gate
from chorus.core.views.terminal.plain import Paragraphs, Plain, is_plain, wrap
from chorus.core.views.terminal.prose import _Prose
from chorus.testing.work import steps

_WORDS = st.text(st.sampled_from("abcXYZ.,:;!?()'\"/é漢字🙂 \n"), max_size=400)
_WIDTHS = st.integers(min_value=2, max_value=60)


def _drawn(part, width: int) -> str:
    out = io.StringIO()
    Console(file=out, width=width, highlight=False, markup=False, emoji=False).print(Gate(part), end="")
    return out.getvalue()


@given(_WORDS, _WIDTHS)
def test_no_row_is_wider_and_no_word_is_lost(text, width):
    """Every row fits the width, and all rows together are the text, except for blanks at their ends."""
    line = text.replace("\n", " ")
    rows = list(wrap(line, width))
    assert all(cell_len(row) <= width for row in rows)
    assert "".join("".join(rows).split()) == "".join(line.split())


@given(st.lists(st.text(st.sampled_from("abcdefgh.,é"), min_size=1, max_size=9), max_size=60), _WIDTHS)
def test_words_are_kept_whole(words, width):
    """A row ends between two words, unless one word is wider than the row."""
    rows = list(wrap(" ".join(words), width))
    if all(cell_len(word) <= width for word in words):
        assert [word for row in rows for word in row.split()] == words


@given(st.lists(st.text(st.sampled_from("abcé.,:! "), min_size=1, max_size=90), max_size=8), st.booleans())
def test_paragraphs_are_drawn_as_markdown_would_be(lines, is_apart):
    """Text without markup looks the same when it is drawn as plain text and as Markdown."""
    text = ("\n\n" if is_apart else "\n").join(line.strip() for line in lines if line.strip())
    if is_plain(text):
        assert _drawn(Paragraphs(text), 40) == _drawn(_Prose(text), 40)


def test_markup_is_not_taken_for_words():
    """Text that may be Markdown is not treated as plain text."""
    marked = (
        "*a*",
        "a _b_",
        "`a`",
        "[a](b)",
        "<b>",
        "# a",
        "a\n- b",
        "1. a",
        "a\n---",
        "a  \nb",
        "    a",
        "a|b",
        "&amp;",
    )
    assert not any(map(is_plain, marked))
    assert is_plain("Words, and a number: 3.5 (or 7); 2026-11-16!\nAnd more.\n\nEnd")


def test_indentation_stays():
    """An indented line that is too long is broken inside the line and keeps its indentation."""
    assert list(wrap(" " * 10 + "word" * 10, 20)) == [" " * 10 + "wordwordwo", "rdwordwordwordwordwo", "rdwordword"]


def test_a_long_line_takes_linear_time():
    """Twice the text takes twice the work, for narrow and for wide characters."""
    for text in ("some words ", "x", "漢字 ", "\t"):
        small, large = (steps(lambda text=text * n: list(wrap(text, 80))) for n in (2_000, 4_000))
        assert large <= 2.1 * small + 50


def test_text_is_drawn_in_its_style():
    """The style applies to the whole text."""
    out = io.StringIO()
    console = Console(file=out, width=20, force_terminal=True, color_system="standard")
    console.print(Gate(Plain("a b\nc", "red")), end="")
    assert out.getvalue() == "\x1b[31ma b\x1b[0m\n\x1b[31mc\x1b[0m\n"
