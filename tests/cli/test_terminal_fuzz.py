"""Security table, row B7: tests that no text in `chorus show`, `search` and `context` acts on a terminal."""

import os
import pty
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from chorus.cli import hits
from chorus.core.conversation import items
from chorus.core.query.snippet import snippet
from chorus.core.views.safe import replace_surrogates
from chorus.core.views.workspace_names import WorkspaceNames
from chorus.find.index.rows import ConversationRow
from chorus.find.search.answers import Answers, Found
from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Session, lay_out, thinking, tool_use
from chorus.testing.builders.lines import SESSION_ID
from tests.cli.commands import PATIENCE_S, run
from tests.core.query.asking import tree
from tests.keep.archive.vaults import keep
from tests.support.terminal_fuzz import acting, texts

COUNT = 10_000
ROUNDS = 40
EACH = 250
"""Texts in the entries of one round: 10,000 in all."""
WIDEST = ("context", SESSION_ID, "call:t5", "--before", "200", "--after", "200", "--for-llm", "--budget", "2000000")
"""All of the 10,000, as text to paste."""
COMMANDS = (
    ("show", SESSION_ID, "--internal"),
    ("search", "needle", "--limit", "500"),
    ("context", SESSION_ID, "call:t5", "--before", "4", "--after", "4", "--full"),
    WIDEST,
)


def found(number: int, title: str, name: str, time: str, said: str) -> Found:
    """Builds a hit with hostile texts in all fields except ids and workspaces, which are file names made by Chorus."""
    session = items.Session(id="s", order=("", 0, "", 0, 0), session_id=name, title=title, ended_at=time)
    return Found(
        number=number,
        conversation=ConversationRow(name="w/main/s", id="s", workspace="w", agent="main", session=session),
        entry=name,
        order=("", 0, "", number, 0),
        kind="call" if number % 2 else "message",
        role="tool",
        author=name,
        tool=name,
        is_failed=number % 3 == 0,
        thread=name,
        time=time,
        snippet=snippet(f"{said} needle {said}", tree("needle")),
    )


def test_nothing_acts_in_the_lines_of_a_search():
    """B7: with 10,000 texts in titles, tools, times and snippets of hits, only Chorus' own colours reach a terminal."""
    given = texts(COUNT, seed=7)
    answers = [found(number, *given[number : number + 4]) for number in range(0, COUNT, 4)]
    drawn = [
        line
        for each in answers
        for line in hits.HitLines(first=1, now=datetime.now(UTC), columns=2_000, names=WorkspaceNames({})).lines(
            Answers([each]), {}
        )
    ]

    assert sum("needle" in line for line in drawn) >= len(answers)
    assert acting("\n".join(drawn), colours=True) == []


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A home with one recorded conversation of 10,000 hostile texts."""
    folder = tmp_path_factory.mktemp("fuzz")
    made = Session()
    # A client never writes half of a character.
    given = [replace_surrogates(text) for text in texts(ROUNDS * EACH, seed=11)]
    made.title(f"needle {given[0]}")
    for number in range(ROUNDS):
        bad = given[number * EACH : (number + 1) * EACH]
        said, asked, got = (" needle ".join(part) for part in (bad[:20], bad[20:40], bad[40:]))
        made.user(said)
        tool = "Bash" if number % 2 else bad[1]
        made.assistant(thinking(bad[0]), asked, tool_use(tool, {"command": asked}, id=f"t{number}"))
        made.tool_result(f"t{number}", got, is_error=number % 3 == 0)
    lay_out(folder / "claude", made)
    keep(FileVault(folder / "home"), folder / "home", folder / "claude")
    return folder / "home"


def test_nothing_acts_in_what_is_pasted(home, monkeypatch):
    """B7: `chorus context --for-llm` with 10,000 texts prints no control character."""
    monkeypatch.setenv("CHORUS_HOME", str(home))
    shown = run(*WIDEST).output

    assert shown.count("needle") > COUNT * 0.9
    assert acting(shown, colours=False) == []


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: f"{command[0]} {command[-2]}")
def test_nothing_acts_on_a_real_terminal(home, command):
    """B7: the real commands at a terminal with colours send no sequences other than colours."""
    shown = at_a_terminal(home, *command)

    assert shown.count("needle") > 20
    assert ("\x1b[" in shown) == ("--for-llm" not in command)
    assert acting(shown, colours=True) == []


def at_a_terminal(home, *arguments):
    """Returns the output of a command at a terminal with colours, with the original line ends."""
    ours, theirs = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    environment |= {"TERM": "xterm-256color", "PAGER": "cat", "CHORUS_HOME": str(home), "COLUMNS": "120"}
    call = [sys.executable, "-m", "chorus", *arguments]
    pieces = []
    with subprocess.Popen(call, stdout=theirs, stderr=theirs, stdin=theirs, env=environment) as process:
        os.close(theirs)
        try:
            while piece := os.read(ours, 65536):
                pieces.append(piece)
        except OSError:
            pass
        assert process.wait(PATIENCE_S) == 0
    os.close(ours)
    return b"".join(pieces).decode().replace("\r\n", "\n")
