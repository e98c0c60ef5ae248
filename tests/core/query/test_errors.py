"""Tests of the error messages for queries that cannot be parsed."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.core.query.keys import HINTS
from chorus.errors import ChorusError, QueryError
from tests.core.query.asking import tree

QUOTE_IT = "To search for the text itself, quote it:"


def refusal(text: str) -> QueryError:
    with pytest.raises(QueryError) as caught:
        tree(text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        (
            "x tol:Bash",
            f'unknown field "tol": did you mean "tool"? {QUOTE_IT} "tol:Bash"',
            "tol:",
        ),
        (
            "since:7d",
            f'unknown field "since": did you mean "after"? {QUOTE_IT} "since:7d"',
            "since:",
        ),
        (
            'zzz:"a b"',
            f'unknown field "zzz": the fields are {", ".join(HINTS)}. {QUOTE_IT} "zzz:a"',
            "zzz:",
        ),
        (
            "token>5",
            f'unknown figure "token": did you mean "tokens"? {QUOTE_IT} "token>5"',
            "token",
        ),
        (
            "role:usr",
            'role cannot be "usr": did you mean "user"? It is one of user, assistant, tool, system',
            "usr",
        ),
        ("has:zip", 'has cannot be "zip": it is one of image, thinking', "zip"),
        ("tool: x", "a value is missing here: tool is written like tool:Bash", " "),
        ("tool:a, b", "a value is missing here: tool is written like tool:Bash", " "),
        ("tool:(a OR b)", "several values are written with commas, as in tool:a,b", "("),
        ('tool:a"b"', 'a value is quoted as a whole, as in workspace:"my app"', 'a"'),
        ('tool:""', "there is nothing between these quotes", '""'),
        ("cost>x", '"x" is not a number: write one like 0.50 or $5', "x"),
        ("tokens>$1", '"$1" is not a number: write one like 10, 100k or 1.5M', "$1"),
        ("cost>" + "9" * 400, f"{'9' * 60}… is too large a number", "9" * 400),
        (
            "on:click",
            '"click" is not a date: write one like 2026-02-03, 2026-02, 2026-02-03T14:00, today, monday, 7d or 12h',
            "click",
        ),
        ("on:2026-02-30", "2026-02-30 is not in the calendar", "2026-02-30"),
        ("regex:x", "a pattern is written between slashes, as in regex:/time(d )?out/i", "x"),
        ("regex:/x", "this pattern never ends: a slash closes it, and \\/ is a slash in it", "/"),
        ("regex://", "there is nothing between these slashes", "//"),
        ("regex:/a/gi", "after a pattern only i is allowed, to ignore case; a slash in it is written \\/", "gi"),
        ("a -regex:/(b/i c", "this pattern cannot be used: missing ): (b", "(b/i"),
        ("regex:/[/ -> b", "this pattern cannot be used: missing ]: [", "[/"),
        ('a "b', "this quote is never closed", '"'),
        ('""', "there is nothing between these quotes", '""'),
        ("*", "a star needs the beginning of a word before it", "*"),
        ('"*"', "a star needs the beginning of a word before it", '"*"'),
        (
            "f(a b)",
            f'this parenthesis is part of a word and not closed in it. {QUOTE_IT} "f(a"',
            "(",
        ),
        ("()", "there is nothing between these parentheses", "()"),
        ("(a", "this parenthesis is never closed", "("),
        ("(", "this parenthesis is never closed", "("),
        ("a)", "nothing opened this parenthesis", ")"),
        (")", "nothing opened this parenthesis", ")"),
        ("(a -> b)", "a sequence cannot be inside parentheses", "->"),
        ("a OR", f'something must follow OR. {QUOTE_IT} "OR"', "OR"),
        ("a NOT", f'something must follow NOT. {QUOTE_IT} "NOT"', "NOT"),
        ("(OR a)", f'something must come before OR. {QUOTE_IT} "OR"', "OR"),
        ("-> a", f'something must come before ->. {QUOTE_IT} "->"', "->"),
        ("a ->3", f'something must follow ->3. {QUOTE_IT} "->3"', "->3"),
        ("a ->0 b", "the number after -> is one of 1 to 1,000,000 calls", "->0"),
        ("\ud800", "this is half of a character, which no text can contain", "\ud800"),
    ],
)
def test_an_error_says_what_where_and_what_to_do(text: str, message: str, place: str) -> None:
    """Each mistake has its own message, and the error names the place of the mistake in the text."""
    error = refusal(text)

    assert (error.message, text[error.start : error.end]) == (message, place)
    assert isinstance(error, ChorusError) and error.text == text


def test_an_error_points_at_the_place() -> None:
    """The query is shown below the message, and below it a pointer that is as many columns wide as the place."""
    assert str(refusal("日本 role:何 b")) == (
        'role cannot be "何": it is one of user, assistant, tool, system\n  日本 role:何 b\n            ^^'
    )
    assert str(refusal('ab "')) == 'this quote is never closed\n  ab "\n     ^'


def test_a_long_query_is_cut_around_the_place() -> None:
    """Only forty characters on either side of the place are shown."""
    message, line, pointer = str(refusal("a " * 100 + "on:x " + "b " * 100)).split("\n")

    assert line == f"  …{('a ' * 100 + 'on:')[-40:]}x{(' b' * 100)[:40]}…"
    assert line[pointer.index("^")] == "x" and pointer.count("^") == 1
    assert str(refusal("on:" + "x" * 9000)).count("^") == 40
    assert len(message) < 200


def test_nothing_in_an_error_acts_or_hides() -> None:
    """Control characters and characters that change the text direction are replaced, one by one, with visible ones."""
    message, line, pointer = str(refusal("a\x1b\x00\x7f\n\u202eb is:x\x1b\u200b")).split("\n")

    assert message.startswith('is cannot be "x␛�":')
    assert line == "  a␛␀␡␊�b is:x␛�"
    assert pointer == " " * 13 + "^^^"


def test_an_error_survives_pickling() -> None:
    """An error can be passed from one process to another."""
    error = refusal("tol:x")

    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@given(st.text(max_size=60), st.integers(0, 60), st.integers(0, 60))
def test_any_place_can_be_shown(text: str, start: int, length: int) -> None:
    """For any place, even one after the end of the text, the error is shown as three printable lines."""
    lines = str(QueryError("no", text, start, start + length)).split("\n")

    assert len(lines) == 3 and all(line.isprintable() for line in lines) and "^" in lines[2]
