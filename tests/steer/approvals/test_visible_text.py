"""Tests of C4: how hostile text is shown to a person."""

import random
import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from chorus.steer.approvals import inputs
from chorus.steer.approvals.visible_text import has_hidden_text, make_visible

HIDDEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}


def is_visible(text: str) -> bool:
    return not any(unicodedata.category(char) in HIDDEN and char != "\n" for char in text) and " " * 9 not in text


def test_every_character_that_hides_is_written_out():
    """Every character of Unicode that controls, hides or is empty is escaped."""
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        shown = make_visible(char)
        if unicodedata.category(char) in HIDDEN and char != "\n":
            assert shown.isascii() and shown.isprintable() and len(shown) > 1, hex(code)
        elif unicodedata.category(char) != "Zs" and shown != char:
            assert f"{code:x}" in shown


@given(st.text(st.characters(), max_size=200))
def test_any_text_is_visible_and_all_of_it_is_there(text):
    """The visible text contains no hidden character, and all characters that need no escape are in it, in order."""
    shown = make_visible(text)

    assert is_visible(shown)
    plain = iter(shown)
    assert all(char in plain for char in text if char.isascii() and char.isalnum())


def test_runs_of_blanks_and_lines_are_counted():
    """Long runs of blanks or empty lines, which could push a command out of sight, are replaced by their number."""
    assert make_visible("ls" + " " * 8 + "x") == "ls        x"
    assert make_visible("ls" + " " * 9 + "x") == "ls" + "␠" * 9 + "x"
    assert make_visible("ls" + " " * 3_000 + "; rm -rf ~") == "ls⟨3000 blanks⟩; rm -rf ~"
    assert make_visible("ls" + "\n" * 500 + "rm") == "ls\n⟨499 empty lines⟩\nrm"
    assert make_visible("ls\n\n\nrm\tx\r\n") == "ls\n\n\nrm\\tx\\r\n"


def test_hiding_characters_are_distinguished_from_layout():
    """Tabs, indentation and letters of any language do not count as hidden text."""
    assert not has_hidden_text("def f():\n\treturn 1\n" + " " * 12 + "x = 'é 搜 🙂'\r\n")
    assert all(
        map(
            has_hidden_text,
            ["a\u200bb", "a\x1b[0m", "\u202ea", "a\ue000", "a" + " " * 30 + "b", "a\rb", "x\u00a0y", "\u3164"],
        )
    )


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda each: st.lists(each) | st.dictionaries(st.text(), each),
    )
)
def test_json_keeps_its_shape(value):
    """Only texts change in the visible JSON: numbers, order and names stay, with any values."""
    import json

    text = json.dumps({"v": value})

    def visible(part):
        if isinstance(part, str):
            return make_visible(part)
        if isinstance(part, list):
            return [visible(each) for each in part]
        if isinstance(part, dict):
            return {make_visible(name): visible(each) for name, each in part.items()}
        return part

    shown = json.loads(bytes(inputs.visible_json(text)))
    assert repr(shown) == repr(visible(json.loads(text)))


def test_repeated_names_are_seen():
    """An object with a repeated field, at any depth, is ambiguous, and so is an input that cannot be parsed."""
    assert not inputs.has_repeated_names('{"a":{"b":1},"c":[{"b":2}]}')
    assert inputs.has_repeated_names('{"a":1,"\\u0061":2}')
    assert inputs.has_repeated_names('{"x":[{"a":1,"b":2,"a":3}]}')
    assert inputs.has_repeated_names('{"a":' + "[" * 3_000 + "]" * 3_000 + "}")


def test_time_grows_with_the_text_alone():
    """A megabyte of the worst text is read in one pass."""
    chance = random.Random(1)
    for piece in (" ", "\n", " \n", "\u202e", "\\", '"', "a ", " " * 9 + "\n"):
        text = piece * (1_000_000 // len(piece))
        assert is_visible(make_visible(text))
        has_hidden_text(text)
    mixed = "".join(chance.choice("a \n\t\u200b\U000e0041") for _ in range(1_000_000))
    assert is_visible(make_visible(mixed))
