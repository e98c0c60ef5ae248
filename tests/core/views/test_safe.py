"""Tests of making text harmless for a terminal."""

import re
from functools import partial

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.core.views.safe import safe, safe_json, safe_line
from chorus.testing.work import steps
from tests.support.terminal_fuzz import acting, texts

B6_COUNT, B6_LONG_COUNT = 5_000, 10_000_000
WRITTEN_OUT = re.compile(r"\\x[0-9a-f]{2}|\\u\{[0-9a-f]+\}")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x9b2J\x7f\x00", "\\x9b2J\\x7f\\x00"),
        ("user\u202etxt.exe", "user\\u{202e}txt.exe"),
        ("a\u200bb\ufeffc\u2066d\u00ade", "a\\u{200b}b\\u{feff}c\\u{2066}d\\xade"),
        ("hidden\U000e0041\ufe01", "hidden\\u{e0041}\\u{fe01}"),
        ("line\u2028break\x0b\x0c\x85", "line\\u{2028}break\\x0b\\x0c\\x85"),
        ("half \ud83d", "half \ufffd"),
        ("10%\r20%\r\nnext", "10%\\x0d20%\nnext"),
    ],
)
def test_what_acts_or_hides_is_written_out(text, shown):
    """Escape sequences and control, bidirectional and invisible characters are shown as escapes."""
    assert safe(text) == shown


@pytest.mark.parametrize("text", ["plain", "a\tb\nc", "Grüße, 日本語, עברית", "👩\u200d💻 ⚠️", "[bold]", "\\x1b"])
def test_harmless_text_stays_as_it_is(text):
    """Letters of all scripts, tabs, line feeds and emoji pass unchanged."""
    assert safe(text) == text


@given(st.text(st.characters(codec=None)))
def test_nothing_that_acts_comes_out(text):
    """For any text, the output has no control character except tab and line feed, and a second pass changes nothing."""
    shown = safe(text)

    assert all(char in "\n\t" or (ord(char) >= 0x20 and not 0x7F <= ord(char) < 0xA0) for char in shown)
    assert not any(0xD800 <= ord(char) < 0xE000 for char in shown)
    assert safe(shown) == shown


def test_a_line_is_one_line():
    """A title or name never contains a line break."""
    assert safe_line(" a\n\n\tb\x1b\u2028c ") == "a b\\x1b c"


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_json_keeps_its_values(text):
    """Escaping JSON for a terminal changes no value in it."""
    shown = safe_json(msgspec.json.encode([text]).decode())

    assert msgspec.json.decode(shown) == [text]
    assert safe(shown) == shown


def test_time_grows_with_the_text_only():
    """The work does not depend on how hostile the text is."""
    assert steps(lambda: safe("\x1b" * 2000)) < 3 * steps(lambda: safe("\x1b" * 1000))


def test_no_sequence_of_five_thousand_is_left():
    """Security table, row B6: 5,000 generated sequences are shown as text, and no other character is lost."""
    for text in texts(B6_COUNT, seed=6):
        shown = safe(text)

        assert acting(shown, colours=False) == []
        assert _plain(WRITTEN_OUT.sub("", shown)) == _plain(text)


def _plain(text):
    return [char for char in text if " " <= char <= "~"]


@pytest.mark.long
def test_no_sequence_of_ten_million_is_left():
    """Security table, row B6, in the nightly tests: 10,000,000 pairs of the sequences are shown as text."""
    given = texts(B6_COUNT, seed=6)
    after = given[: B6_LONG_COUNT // B6_COUNT]
    for first in given:
        assert acting(safe("\n".join(first + second for second in after)), colours=False) == []


def test_the_work_of_each_sequence_is_linear():
    """Security table, row B6: twice as much of any kind of sequence takes at most twice the steps."""
    for text in [*texts(100, seed=66), "\x1b[;;;", "\x1b]0;", "\x1bP", "\x9b", "\x1b"]:
        once, twice = (steps(partial(safe, text * many)) for many in (40, 80))

        assert twice <= 2.1 * once + 5
