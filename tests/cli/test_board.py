"""Tests of `chorus board`: once, live, as JSON, at any width."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec import structs

from chorus.core.protocol.launch import Launch
from chorus.core.records.times import wire_time
from chorus.keep.vault.files import FileVault
from chorus.steer.runs.run_folders import Ending
from chorus.testing.builders import Session, tool_use
from chorus.testing.builders.lines import Clock
from tests.cli.at_a_terminal import at_a_terminal
from tests.cli.commands import run, run_json
from tests.keep.archive.vaults import client, keep
from tests.steer.approvals.samples import add_approver, set_budget
from tests.steer.clients import entries
from tests.support.panes import missing, pane_server
from tests.support.runs import described, named

WAITING, LOOPING, DONE = (f"{number}0a2dc00-0000-4000-8000-000000000001" for number in (1, 2, 3))


def session(name: str, title: str) -> Session:
    """Returns a session whose lines are a few seconds old."""
    begun = datetime.now(UTC) - timedelta(seconds=60)
    made = Session(name, clock=Clock(wire_time(begun)), cwd="/home/dev/harbour")
    made.title(title)
    made.user("Go.")
    return made


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A vault with a session that waits, one in a loop and one that is done, and a client of the first one."""
    waiting, looping, done = session(WAITING, "Paint it"), session(LOOPING, "Fix\x1b[31m it"), session(DONE, "Greet")
    waiting.assistant(tool_use("Bash", {"command": "paint"}, id="c1"))
    for number in range(3):
        looping.assistant(tool_use("Bash", {"command": "make"}, id=f"l{number}"), stop="tool_use")
        looping.tool_result(f"l{number}", "Exit code 2", is_error=True)
    looping.assistant(tool_use("Bash", {"command": "make", "description": "Build it"}, id="l9"), stop="tool_use")
    done.assistant("Hello.", stop="end_turn")
    folder = tmp_path / "claude"
    client(folder, waiting, looping, done)
    keep(FileVault(tmp_path / "vault"), tmp_path / "vault", folder)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(folder))
    entries.put(folder, entries.entry(os.getpid(), WAITING, status="waiting", waitingFor="an \x1b[2J answer"))
    return tmp_path / "vault"


def test_a_conversation_without_a_title_says_so(tmp_path):
    """A conversation whose title is only its id is listed as `chorus list` lists it."""
    nameless = Session(DONE, clock=Clock(wire_time(datetime.now(UTC) - timedelta(seconds=60))), cwd="/home/dev/harbour")
    nameless.assistant("Hello.", stop="end_turn")
    client(tmp_path / "claude", nameless)
    keep(FileVault(tmp_path / "vault"), tmp_path / "vault", tmp_path / "claude")

    assert "(no title)" in run("board", "--once", "--vault", tmp_path / "vault").output


def test_once(home):
    """Each column is a table, what needs a person comes first with its reason, and no text acts on the terminal."""
    shown = run("board", "--once", "--vault", home)

    assert shown.exit_code == 0 and "\x1b" not in shown.output
    lines = shown.output.splitlines()
    assert [line for line in lines if line.endswith(")") and not line.startswith(" ")] == [
        "Needs you (1)",
        "Working (1)",
        "Done today (1)",
    ]
    assert "waits: an \\x1b[2J answer (for " in next(line for line in lines if WAITING in line)
    stuck = next(line for line in lines if LOOPING in line)
    assert "! Bash failed 3 times with the same input and the same error · Bash: Build it" in stuck


def test_the_json_shape(home):
    """The JSON has all tiles in order with alerts and their evidence, whom to go to next, and the counts."""
    found = run_json("board", "--vault", home)

    assert [tile["id"] for tile in found["tiles"]] == [WAITING, LOOPING, DONE]
    assert found["next"] == [WAITING]
    assert found["counts"] == {"needs you": 1, "working": 1, "idle": 0, "done today": 1, "failed": 0}
    (alert,) = found["tiles"][1]["alerts"]
    assert (alert["kind"], [each["item"] for each in alert["evidence"]]) == ("loop", ["l0", "l1", "l2"])
    assert {"branch", "run", "pane", "calls", "context", "cost_usd", "sub_agents", "last_at"} <= found["tiles"][
        0
    ].keys()
    assert (found["workspaces"][0]["needs_you"], found["workspaces"][0]["name"]) == (1, "harbour")


@pytest.mark.parametrize("columns", ["30", "80", "100", "160"])
def test_live_at_any_width(home, columns):
    """At a terminal the board is drawn over the whole screen until q is pressed, and no line is too long."""
    environment = {"COLUMNS": columns, "LINES": "24", "CLAUDE_CONFIG_DIR": os.environ["CLAUDE_CONFIG_DIR"]}
    code, seen = at_a_terminal(
        "board",
        "--vault",
        home,
        typed=[("Needs you (1)", None), ("q ends", b"q")],
        environment=environment,
        kind="xterm",
    )

    assert code == 0
    assert seen.count("\x1b[?1049h") == seen.count("\x1b[?1049l") == 1


@pytest.fixture
def tmux(monkeypatch):
    if (why := missing()) is not None:
        pytest.skip(why)
    with pane_server() as server:
        monkeypatch.setenv("TMUX_TMPDIR", str(server.folder))
        yield server


def waits_in_pane(tmux, pane):
    """Writes the registry entry of a client in a pane that waits for a person."""
    folder = Path(os.environ["CLAUDE_CONFIG_DIR"])
    pid = int(tmux.ask(pane, "pane_pid"))
    entries.put(folder, entries.entry(pid, LOOPING, status="waiting", waitingFor="permission prompt"))


def test_the_pane_of_a_client_is_shown(home, tmux):
    """The board in the terminal says in which pane a conversation lives, as the page does."""
    waits_in_pane(tmux, tmux.open("cat", session="harbour"))

    assert {tile["id"]: tile["pane"] for tile in run_json("board", "--vault", home)["tiles"]} == {
        WAITING: None,
        LOOPING: "harbour:0.0",
        DONE: None,
    }
    assert "harbour:0.0" in run("board", "--once", "--vault", home).output


def test_one_key_leads_to_each_that_waits(home, tmux):
    """`n` leads to the next conversation that needs a person: to its pane, or with the words how to get there."""
    pane = tmux.open("cat", session="harbour")
    other = tmux.open("cat", session="other")
    waits_in_pane(tmux, pane)
    environment = {"COLUMNS": "160", "LINES": "30", "CLAUDE_CONFIG_DIR": os.environ["CLAUDE_CONFIG_DIR"]}
    environment["TMUX_TMPDIR"] = os.environ["TMUX_TMPDIR"]
    typed = [
        ("Needs you (2)", b"n"),
        (f"answer {WAITING[:8]} in its own terminal · Paint it", b"n"),
        (f"select-pane -t {pane}", b"n"),
        (f"answer {WAITING[:8]} in its own terminal · Paint it", b"q"),
    ]
    code, seen = at_a_terminal("board", "--vault", home, typed=typed, environment=environment, kind="xterm")

    assert code == 0
    assert f"select-pane -t {other}" not in seen


def test_a_budget_that_is_used_up_is_an_alert(home):
    """The board in the terminal says which limit is nearly or completely used, as the page does."""
    add_approver(home / "state", "ada")
    set_budget(home / "state", "conversation tokens:1")
    found = {tile["id"]: tile["alerts"] for tile in run_json("board", "--vault", home)["tiles"]}

    (alert,) = found[WAITING]
    assert alert["kind"] == "budget"
    assert alert["text"].startswith("The budget is used up: ") and "of 1 tokens" in alert["text"]
    assert found[DONE] == [], "nothing works on it"


def test_an_empty_vault(tmp_path):
    """Without any conversation, the command says what to do."""
    shown = run("board", "--once", "--vault", tmp_path)

    assert "There is no conversation yet" in shown.output


@pytest.mark.parametrize(("code", "words"), [(143, "stopped"), (1, "")])
def test_what_a_stopped_run_asked_waits_for_nobody(tmp_path, monkeypatch, code, words):
    """After a run ended while its agent asked, board and list say so, until something is recorded after its end."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    home, asking = tmp_path / "vault", session(WAITING, "Paint it")
    asking.assistant(tool_use("AskUserQuestion", {"questions": []}, id="q1"), stop="tool_use")
    client(tmp_path / "claude", asking)
    keep(FileVault(home), home, tmp_path / "claude")
    assert "waiting for permission" in run("list", "--vault", home).output
    ending = Ending(at=wire_time(datetime.now(UTC)), code=code, words=words)
    launch = Launch(session=WAITING)
    described(named(home, "abc"), launch=launch, sessions=[WAITING], vault=str(home), ending=ending)

    expected = "failed" if ending.is_failure else "interrupted"
    for command in ("list", "board"):
        shown = run(command, "--vault", home).output
        assert "waiting" not in shown and expected in shown.casefold()

    before = structs.replace(ending, at="2026-01-01T00:00:00.000Z")
    described(named(home, "abc"), launch=launch, sessions=[WAITING], vault=str(home), ending=before)
    assert "waiting for permission" in run("list", "--vault", home).output
