"""Tests of the arguments of tmux commands: tmux must read exactly the bytes that were given."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.errors import ChorusError
from chorus.steer.tmux.arguments import command, pane_target
from chorus.steer.tmux.connection import Connection

HOSTILE = [
    "a;",
    ";",
    "$HOME",
    "~",
    "#{pid}",
    "'",
    '"',
    "\\",
    "\\;",
    "a\nb",
    "\t",
    "\x1b[201~",
    "é漢🎉",
    "{",
    "}",
    "%1",
    "a b",
    "",
]


def test_tmux_reads_the_bytes_that_were_written(tmux):
    """Texts with every special character of tmux arrive in a buffer as they are."""
    tmux.open("cat")
    with Connection(tmux.socket) as connection:
        for text in HOSTILE:
            connection.run("set-buffer", "-b", "x", "--", f"<{text}>")
            connection.run("save-buffer", "-b", "x", str(tmux.folder / "out"))
            assert (tmux.folder / "out").read_bytes() == f"<{text}>".encode(), text


@given(st.binary().filter(lambda data: b"\0" not in data))
def test_a_command_is_one_line_without_special_characters(word):
    """No byte of an argument can end the line, the quotes or the command."""
    line = command("set-buffer", word)
    assert b"\n" not in line
    inside = line.removeprefix(b"set-buffer ")
    assert b";" not in inside
    assert b"$" not in inside
    assert inside.count(b'"') in (0, 2)


def test_only_the_id_of_a_pane_is_a_target():
    """Names, empty texts and ids with something behind them could mean another pane."""
    assert pane_target("%12") == "%12"
    for wrong in ("", "%", "12", "%1;", "%1 ", "{last}", "main:1.0", "%1\n", "=", "%-1"):
        with pytest.raises(ChorusError):
            pane_target(wrong)
