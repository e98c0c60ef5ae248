"""Tests of the pager: it is used only at a terminal, a person can choose it, and a person can leave it at any time."""

import shlex
import sys
import textwrap
from pathlib import Path

import click
import pytest

from chorus.cli.main import cli
from chorus.cli.pager import pager_command
from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Session
from chorus.testing.builders.lines import SESSION_ID
from tests.cli.at_a_terminal import at_a_terminal
from tests.cli.commands import run_process
from tests.cli.test_table import Terminal
from tests.keep.archive.vaults import OTHER_ID, client, keep, talk

MARKS = """
    import os, sys
    print("PAGED", os.environ.get("LESS"))
    for line in sys.stdin:
        print("|" + line, end="")
"""
LEAVES = """
    import sys
    print("LEFT AFTER " + sys.stdin.readline())
"""
STAYS = """
    import signal, sys
    signal.signal(signal.SIGINT, lambda *_: None)
    print("READY", flush=True)
    for line in sys.stdin:
        print("|" + line, end="", flush=True)
    print("ENDED BY THE PERSON")
"""


@pytest.fixture
def home(tmp_path):
    long = Session(session_id=OTHER_ID)
    for number in range(1000):
        long.user(f"prompt {number}")
    client(tmp_path / "claude", talk(), long)
    keep(FileVault(tmp_path / "vault"), tmp_path / "vault", tmp_path / "claude")
    return tmp_path / "vault"


@pytest.fixture
def terminal(home, tmp_path):
    """Returns a function that runs a command at a terminal with the given lines as its pager."""

    def act(*arguments, pager="", typed=(), **environment):
        given = {"CHORUS_HOME": str(home), "COLUMNS": "100"} | environment
        if pager:
            program = tmp_path / "pager.py"
            program.write_text(textwrap.dedent(pager), "utf-8")
            given["PAGER"] = shlex.join([sys.executable, str(program)])
        return at_a_terminal(*arguments, environment=given, typed=typed, kind="xterm")

    return act


def test_long_output_is_paged(terminal):
    """Long output goes through `$PAGER` in colours, and `less` ends by itself if everything fits."""
    for arguments in (("list",), ("show", SESSION_ID)):
        _, seen = terminal(*arguments, pager=MARKS)

        lines = seen.splitlines()
        assert lines[0] == "PAGED FRX" and len(lines) > 1 and "\x1b[" in seen
        assert all(line.startswith("|") for line in lines[1:])


@pytest.mark.parametrize(
    "name",
    [
        *("show", "compare", "list", "search", "context", "cost", "usage", "stats", "files", "history", "diff"),
        *("blame", "workspace list", "config get", "drift", "read"),
    ],
)
def test_commands_that_may_print_much(name):
    """Each command that may print much has `--no-pager`, and the guide names it."""
    group, _, part = name.partition(" ")
    command = cli.get_command(click.Context(cli), group)
    if part:
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), part)
    guide = (Path(__file__).parents[2] / "docs/guide/commands.md").read_text("utf-8")
    (line,) = [each for each in guide.splitlines() if "goes through a pager" in each]

    assert f"`{name}`" in line
    assert command and "--no-pager" in [option for each in command.params for option in each.opts]


def test_a_hit_is_shown_in_its_surroundings_with_a_pager(terminal):
    """`chorus context` uses the pager, too, and a remark of `chorus show` is part of the paged output."""
    terminal("search", "prompt", "--limit", "3", pager=MARKS)

    assert terminal("context", "1", pager=MARKS)[1].startswith("PAGED")
    assert "|chorus: shown from hit 2 on" in terminal("show", "2", pager=MARKS)[1]


def test_no_pager(terminal):
    """`--no-pager` switches the pager off, before and after the name of the command."""
    for arguments in (["list", "--no-pager"], ["--no-pager", "list"]):
        code, seen = terminal(*arguments, pager=MARKS)

        assert code == 0 and "PAGED" not in seen and "A talk" in seen


@pytest.mark.parametrize(
    ("environment", "command"),
    [
        ({}, ["less"]),
        ({"PAGER": "cat -A"}, ["cat", "-A"]),
        ({"PAGER": "cat", "CHORUS_PAGER": "less -P 'two words'"}, ["less", "-P", "two words"]),
        ({"PAGER": "tr a b | less"}, None),
        ({"PAGER": "less; rm -r $HOME"}, None),
        ({"CHORUS_PAGER": "", "PAGER": "less"}, None),
        ({"PAGER": "cat"}, None),
        ({"PAGER": "there-is-no-such-pager -x"}, None),
        ({"PAGER": "'"}, None),
        ({"TERM": "dumb"}, None),
    ],
)
def test_which_pager(environment, command, monkeypatch, tmp_path):
    """The pager is `$CHORUS_PAGER`, then `$PAGER`, then `less`.

    No pager is used if it is empty, `cat`, missing or needs a shell.
    """
    for program in ("less", "cat", "tr"):
        (tmp_path / program).write_text("#!/bin/sh\n")
        (tmp_path / program).chmod(0o755)
    for name in ("PAGER", "CHORUS_PAGER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.stdout", Terminal())
    for name, value in ({"PATH": str(tmp_path), "TERM": "xterm"} | environment).items():
        monkeypatch.setenv(name, value)

    assert pager_command() == command


def test_a_pipe_is_not_paged(home):
    """If standard output is not a terminal, no pager starts."""
    outcome = run_process("list", env={"CHORUS_HOME": str(home), "PAGER": "false", "TERM": "xterm"})

    assert outcome.returncode == 0 and b"A talk" in outcome.stdout


def test_leaving_the_pager_early_is_no_failure(terminal):
    """If a person leaves the pager early, the command ends without a message and with exit code 0."""
    code, seen = terminal("show", OTHER_ID, pager=LEAVES)

    assert code == 0 and seen.startswith("LEFT AFTER ") and "chorus:" not in seen and "Error" not in seen


def test_hits_that_were_not_read_to_the_end_have_numbers(terminal):
    """After a person leaves the pager at the first hit, every hit has a number."""
    terminal("search", "prompt", "--limit", "30", pager=LEAVES)

    assert terminal("show", "30", pager=MARKS)[0] == 0


def test_an_error_before_any_output_is_not_paged(terminal):
    """The error is printed on the terminal without a pager, and the exit code is that of the error."""
    code, seen = terminal("show", "abcdef12", pager=MARKS)

    assert code == 2 and seen.startswith("chorus: abcdef12: no file") and "PAGED" not in seen


def test_ctrl_c_leaves_the_terminal_to_the_pager(terminal):
    """Ctrl-C ends the work of the command with exit code 130, and the pager stays until it ends by itself."""
    code, seen = terminal("show", OTHER_ID, pager=STAYS, typed=[("READY", b"\x03")])

    assert code == 130 and "ENDED BY THE PERSON" in seen and "Traceback" not in seen
