"""Tests of the control room with the real client: two runs of Chorus and one terminal session ask at the same time."""

import json

import pytest

from chorus.keep.vault.keys import workspace_id
from chorus.steer.approvals.model import State
from chorus.steer.runs.run_folders import Runs
from tests.cli.commands import run
from tests.show.server.serving import serving, until
from tests.show.server.test_approvals import allowing
from tests.steer.hooks.deciding import Person
from tests.support.real_client import Unavailable
from tests.support.running import end
from tests.support.scripted_api import ScriptedApi
from tests.support.terminal import Terminal

PASSED = ("ANTHROPIC_BASE_URL", "CLAUDE_CODE_", "DISABLE_")
PROMPT = "Do you want to proceed?"


def touching(name):
    given = {"command": f"touch {name}.txt", "description": f"Make {name}"}
    return [{"type": "tool_use", "id": f"toolu_{name}", "name": "Bash", "input": given}]


@pytest.fixture
def api():
    with ScriptedApi(*map(touching, "abc"), [{"type": "text", "text": "That was all."}]) as api:
        yield api


@pytest.fixture
def room(client, tmp_path, monkeypatch):
    """A server, an approver, hooks, and a workspace whose agent may be started from the page."""
    home = tmp_path / "chorus"
    for name, value in client.environment.items():
        monkeypatch.setenv(name, value)
    names = [name for name in client.environment if name.startswith(PASSED)]
    agent = {"name": "ada", "mode": "default", "environment": names}
    place = str(client.workspace.resolve())
    assert run("hooks", "install", "--yes").exit_code == 0
    settings = {
        "client": str(client.binary),
        "workspaces": [{"id": workspace_id(place), "path": place, "agents": [agent]}],
    }
    (home / "config.json").write_text(json.dumps(settings))
    person = Person(home)
    with serving(home, client.config) as server:
        yield server, person, workspace_id(place)
        for folder, _ in Runs(home).living():
            end(folder)


def test_two_runs_and_a_terminal_ask_at_once_and_each_is_answered_where_the_person_is(client, room):
    """One request is approved in the page, the terminal answers its own and its card goes, and the third waits."""
    server, person, place = room
    browser = server.browser()
    try:
        terminal = Terminal(client, "--permission-mode", "default")
    except Unavailable as reason:
        pytest.skip(str(reason))
    started = [
        browser.post("/api/runs", {"place": place, "agent": "ada", "message": {"text": f"Make {each}."}})
        for each in ("one", "two")
    ]
    assert [each.status for each in started] == [200, 200], started
    sessions = [each.json["session"] for each in started]
    with terminal:
        terminal.say("Make a file.")
        until(lambda: len(person.ledger.pending()) == 3)
        terminal.until(PROMPT)
        cards = browser.get("/api/approvals").json["cards"]
        assert len(cards) == 3
        rows = {row.request.session: row for row in person.ledger.pending()}
        (by_hand,) = rows.keys() - set(sessions)
        approved, waiting = rows[sessions[0]], rows[sessions[1]]

        answer = browser.post(f"/api/approvals/{approved.id}", allowing(approved, person.signer))
        assert answer.json["state"] == "approved", answer.body
        until(lambda: made(client, approved))

        terminal.answer(PROMPT, "1")
        assert person.settled(rows[by_hand]).state is State.ANSWERED
        until(lambda: made(client, rows[by_hand]))
        until(lambda: len(browser.get("/api/approvals").json["cards"]) == 1)

    (left,) = browser.get("/api/approvals").json["cards"]
    assert left["id"] == waiting.id
    assert not made(client, waiting)
    running = {each["session"]: each["state"] for each in browser.get("/api/runs").json["runs"]}
    assert running[sessions[1]] == "waiting"
    until(lambda: {e["session"]: e["state"] for e in browser.get("/api/runs").json["runs"]}[sessions[0]] == "idle")


def made(client, row) -> bool:
    """Returns whether the requested command ran."""
    return (client.workspace / json.loads(row.request.input)["command"].split()[1]).exists()
