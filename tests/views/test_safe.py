"""Neutralising text for a terminal."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.testing.work import steps
from chorus.views.safe import safe, safe_json, safe_line


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
    """Escape sequences, controls, bidirectional and invisible characters are shown as escapes."""
    assert safe(text) == shown


@pytest.mark.parametrize("text", ["plain", "a\tb\nc", "Grüße, 日本語, עברית", "👩\u200d💻 ⚠️", "[bold]", "\\x1b"])
def test_harmless_text_stays_as_it_is(text):
    """Letters of all scripts, tabs, line feeds and emoji pass unchanged."""
    assert safe(text) == text


@given(st.text(st.characters(codec=None)))
def test_nothing_that_acts_comes_out(text):
    """Whatever goes in, no control but tab and line feed comes out, and a second pass changes nothing."""
    shown = safe(text)

    assert all(char in "\n\t" or (ord(char) >= 0x20 and not 0x7F <= ord(char) < 0xA0) for char in shown)
    assert not any(0xD800 <= ord(char) < 0xE000 for char in shown)
    assert safe(shown) == shown


def test_a_line_is_one_line():
    """Titles and names cannot bring a line break."""
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
