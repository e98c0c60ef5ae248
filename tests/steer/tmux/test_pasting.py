"""Tests of text and keys for panes, with a program that records every byte."""

import random
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.errors import ChorusError
from chorus.steer.tmux.connection import Connection
from chorus.steer.tmux.pasting import cleaned, paste, press
from tests.support import byte_recorder
from tests.support.panes import until

BEGIN, END = b"\x1b[200~", b"\x1b[201~"
WORDS = [
    ";", "AAA;", "a;b",
    "\n", "\r", "\r\n", "\x1b[201~", "\x1b", "Enter", "C-c", "1", "\x03", "\t", "é漢🎉", "\\", "'", '"',
    "$HOME", "#{pane_pid}", "#(touch x)", "~", "%1", "\x9b", "\u2028", "\x00", "--", "-t", " ", "{", "}",
]  # fmt: skip


@pytest.fixture
def recorder(tmux):
    """A pane that records what it gets; returns its id and the file."""
    file = tmux.folder / "bytes"
    pane = tmux.open(sys.executable, byte_recorder.__file__, str(file))
    until(lambda: "ready" in tmux.screen(pane))
    return pane, file


def texts(count):
    chance = random.Random(7)
    for number in range(count):
        yield "".join(chance.choices(WORDS, k=chance.randint(1, 12))) + f"{number}"
    yield "x" * 65_536
    yield "漢;" * 20_000


@pytest.mark.parametrize("count", [150, pytest.param(2_000, marks=pytest.mark.long)])
def test_the_program_gets_the_text_and_nothing_else(tmux, recorder, count):
    """Each text arrives between the marks of a paste, byte for byte, with no escape or return in it."""
    pane, file = recorder
    expected = b""
    with Connection(tmux.socket) as connection:
        for text in texts(count):
            words = cleaned(text)
            if words:
                paste(connection, pane, words)
                expected += BEGIN + words.encode() + END
    until(lambda: len(file.read_bytes()) >= len(expected))
    assert file.read_bytes() == expected
    for inside in expected.split(BEGIN)[1:]:
        body = inside.removesuffix(END)
        assert b"\x1b" not in body
        assert b"\r" not in body


@given(st.text())
def test_a_cleaned_text_has_no_control_characters(text):
    """Whatever a person writes, only line feeds and tabs are left of all control characters."""
    found = cleaned(text)
    assert not any((ord(char) < 32 and char not in "\n\t") or 127 <= ord(char) < 160 for char in found)
    assert cleaned(found) == found


def test_a_text_that_was_not_cleaned_is_refused(tmux, recorder):
    """No caller can forget to clean."""
    pane, file = recorder
    with Connection(tmux.socket) as connection:
        for text in ("", "a\x1b[201~b", "a\r", "\x07", "x" * 300_000):
            with pytest.raises(ChorusError):
                paste(connection, pane, text)
    assert not file.exists() or file.read_bytes() == b""


def test_a_key_is_pressed_once_and_only_if_the_condition_holds(tmux, recorder):
    """tmux itself checks the condition; other keys than those of prompts are never pressed."""
    pane, file = recorder
    pid = tmux.ask(pane, "pane_pid")
    with Connection(tmux.socket) as connection:
        assert press(connection, pane, "1", f"#{{==:#{{pane_pid}},{pid}}}")
        assert not press(connection, pane, "2", "#{==:#{pane_pid},1}")
        assert press(connection, pane, "Enter", "1")
        for key in ("y", "C-c", "Escape", "12", "", "1;"):
            with pytest.raises(ValueError, match="not a key"):
                press(connection, pane, key, "1")
    until(lambda: file.exists() and len(file.read_bytes()) >= 2)
    assert file.read_bytes() == b"1\r"
    assert Path(byte_recorder.__file__).exists()
