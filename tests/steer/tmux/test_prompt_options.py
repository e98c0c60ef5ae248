"""Tests of how the screen of a client is read: which key has which label, and whether the prompt is about a call."""

import json

import pytest

from chorus.steer.tmux.prompt_options import Keys, keys_of

LINE = "─" * 90
BOX = "╌" * 90
LABELS = ("Yes", "No")


def screen(*shown):
    """Returns the rows of a prompt about these rows."""
    return [
        "● Bash(touch …)",
        LINE,
        " Bash command",
        " Make files",
        *shown,
        " Do you want to proceed?",
        " ❯ 1. Yes",
        "   2. No",
        "",
        " Esc to cancel · Tab to amend",
        "",
    ]


def keys(command, *shown):
    return keys_of(screen(*shown), "Bash", json.dumps({"command": command, "description": "Make files"}))


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("touch a", [" touch a"]),
        ("touch a\ntouch b", [BOX, " │ touch a", " │ touch b", BOX]),
        ("touch a\n\n\ttouch 'b  c'\n", [BOX, " │ touch a", " │", " │        touch 'b  c'", " │", BOX]),
        ("touch " + "x" * 150, [BOX, " │ touch " + "x" * 80, " │ " + "x" * 70, BOX, " │ It is a sensitive file.", BOX]),
        ("touch 漢字 | cat", [" touch 漢字 | cat"]),
    ],
)
def test_the_whole_command_is_shown(command, shown):
    """A command on one row, on several rows with a bar, or wrapped at the width of the terminal is recognised."""
    assert keys(command, *shown) == Keys("1", "2", LABELS)


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("touch a", [" touch ab"]),
        ("touch a", [" rm -rf x; touch a"]),
        ("touch a", [" touch a && rm -rf x"]),
        ("touch a", [BOX, " │ touch a b", BOX]),
        ("touch a\ntouch b", [BOX, " │ touch a", " │ rm -rf x", " │ touch b", BOX]),
        ("touch a\ntouch b", [BOX, " │ touch b", BOX]),
        ("touch " + "x" * 150, [BOX, " │ touch " + "x" * 80, " │ " + "x" * 69 + "y", BOX]),
        ("touch " + "x" * 150, [" touch " + "x" * 80]),
        ("", [" touch a"]),
        ("   ", [" touch a"]),
    ],
)
def test_a_prompt_about_another_command_has_no_key(command, shown):
    """A command that is only a part of what the prompt shows, or of which a part is not shown, is another command."""
    assert keys(command, *shown) is None
