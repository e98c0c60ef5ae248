"""Tests of the output at terminals of 80, 100 and 160 columns and in a pipe."""

import io
import re
from datetime import UTC, datetime, timedelta

import pytest
from rich.cells import cell_len

from chorus.cli.main import main
from chorus.core.records.times import wire_time
from chorus.testing.builders import Session, text, tool_use
from chorus.testing.builders.lines import Clock, usage
from tests.cli.commands import run
from tests.cli.test_table import Terminal
from tests.keep.archive.vaults import client

WIDTHS = (80, 100, 160, None)
"""Columns of a terminal; None for a pipe."""
LONG = (
    "The checkout page is slow when the basket has more than forty things in it: find out why, write a test that shows "
    "it, and then make it fast"
)
WIDE = "日本語のタイトルはふたつの桁を使う、それでも表は崩れない"
TALKS = (
    # Age in days, folder, title, model, input tokens, output tokens, number of answers.
    (0.2, "/home/dev/work/shop", LONG, "claude-opus-4-5-20251101", 41_200, 8_130, 9),
    (3.1, "/home/dev/work/shop", "Rename the harbour", "claude-sonnet-4-5-20250929", 1_204, 311, 2),
    (12.1, "/srv/builds/a-service-with-a-rather-long-name", WIDE, None, 0, 0, 1),
    (40.1, "/home/dev/elsewhere/shop", "Tidy up", "claude-haiku-4-5-20251001", 990_100, 41_000, 3),
    (400.1, "/home/dev/work/shop", "Why does the build of the harbour fail?", "claude-opus-4-5-20251101", 12, 4, 1),
)  # fmt: skip
SIZE = re.compile(r"(\d+)\.\d kB")
ELSEWHERE = re.compile(r"/claude/projects/|recorded from$")
"""The folder of a test has a name of any length."""
COMMANDS = {
    "list": ["list"],
    "list of a query": ["list", "harbour"],
    "cost by model": ["cost", "--by", "model"],
    "cost by workspace": ["cost", "--by", "workspace"],
    "cost by conversation": ["cost", "--by", "conversation"],
    "usage": ["usage", "--by", "model", "--by", "tool"],
    "candidates": ["show", "harbour"],
    "search": ["search", "basket"],
    "settings": ["config", "get"],
    "workspaces": ["workspace", "list"],
    "forget": ["forget", "*e55*", "--dry-run"],
    "stats": ["stats"],
    "help": ["--help"],
}


def talk(number, days_ago, folder, title, model, asked, said, times):
    start = wire_time(datetime.now(UTC) - timedelta(days=days_ago))
    name = f"{number}e55{number}a1b-0000-4000-8000-00000000000{number}"
    session = Session(name, clock=Clock(start), cwd=folder, **({"model": model} if model else {}))
    session.user(title)
    for turn in range(times):
        session.user(f"What about the basket, part {turn}?")
        call = tool_use("Bash", {"command": "ls", "description": "List"}, id=f"t{number}{turn}")
        # Message ids belong to one session, because two sessions with the same ids would be a fork.
        more = {"message_id": f"msg_{number}_{turn}", "tokens": usage(given=asked, said=said)}
        session.assistant(text("Let me look."), call, stop="tool_use", **more)
        session.tool_result(f"t{number}{turn}", "no such basket", is_error=turn == 1)
    return session


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("widths")
    client(folder / "claude", *(talk(number, *each) for number, each in enumerate(TALKS, 1)))
    assert run("sync", folder / "claude", "--vault", folder / "home").exit_code == 0
    return folder / "home"


@pytest.fixture
def printed(home, monkeypatch):
    """Returns a function that runs a command at a width and returns its standard output and then its standard error."""

    def act(arguments, width):
        with monkeypatch.context() as patch:
            patch.setenv("CHORUS_HOME", str(home))
            patch.setenv("TERM", "dumb")
            patch.setenv("NO_COLOR", "1")
            out, errors = (Terminal(), Terminal()) if width else (io.StringIO(), io.StringIO())
            patch.setattr("sys.stdout", out)
            patch.setattr("sys.stderr", errors)
            if width:
                patch.setenv("COLUMNS", str(width))
            main(arguments)
        shown = SIZE.sub(lambda found: "9" * len(found[1]) + ".9 kB", out.getvalue() + errors.getvalue())
        return "".join(line for line in shown.splitlines(True) if not ELSEWHERE.search(line))

    return act


@pytest.mark.parametrize("name", COMMANDS)
def test_it_looks_like_this(name, printed, snapshot):
    """Each command prints the stored text at each width. Look at a difference before you accept it."""
    seen = {width: printed(COMMANDS[name], width) for width in WIDTHS}
    assert "\n".join(f"── {width or 'pipe'} ──\n{text}" for width, text in seen.items()) == snapshot

    for width, text_ in seen.items():
        lines = text_.splitlines()
        assert not [line for line in lines if "\t" in line or "\x1b" in line]
        # A word that is wider than the terminal, such as a path, has its own line, so that people can copy it. Errors
        # are one line.
        wide = [line for line in lines if width and cell_len(line) > width and len(line.split()) > 1]
        assert not [line for line in wide if not line.startswith("chorus: ")]


@pytest.mark.parametrize("width", WIDTHS)
def test_a_conversation_is_one_row(width, printed):
    """`chorus list` has a head, a rule at a terminal, and one row with a readable title for each conversation."""
    lines = printed(["list"], width).splitlines()
    rows = lines[2 if width else 1 :][: len(TALKS)]

    assert [row[0] for row in rows] == ["1", "2", "3", "4", "5"]
    assert all(LONG[:30] in row for row in rows[:1]) and (width or LONG in rows[0])
