"""Tests of the hooks with the real client: each request is answered once, and without Chorus nothing changes.

The interactive tests need tmux and are skipped without it.
"""

import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from chorus.base import config
from chorus.keep.vault.keys import workspace_id
from chorus.steer.approvals.model import Row, State
from chorus.steer.hooks.home import Home
from tests.cli.commands import run
from tests.show.server.serving import serving, until
from tests.support.real_client import Unavailable
from tests.support.scripted_api import ScriptedApi
from tests.support.terminal import Terminal

TOUCH = {
    "type": "tool_use",
    "id": "toolu_1",
    "name": "Bash",
    "input": {"command": "touch made.txt", "description": "Make a file"},
}
DONE = [{"type": "text", "text": "That was all."}]
PROMPT = "Do you want to proceed?"
ASKING = ("--permission-mode", "default")
UNKNOWN_AFTER_S = 10


@pytest.fixture
def api(request):
    """The scripted API; a test may name another call than `TOUCH` as its parameter."""
    with ScriptedApi([getattr(request, "param", TOUCH)], DONE) as api:
        yield api


@pytest.fixture
def made(client):
    return client.workspace / "made.txt"


@pytest.fixture
def home(tmp_path, client):
    """The home of Chorus after `chorus hooks install`."""
    assert run("hooks", "install", "--yes").exit_code == 0
    return Home(tmp_path / "chorus")


@pytest.fixture
def terminal(client):
    try:
        terminal = Terminal(client, *ASKING)
    except Unavailable as reason:
        pytest.skip(str(reason))
    with terminal:
        yield terminal


def told(api):
    """Returns the tool result that the model received for the call."""
    (result,) = [
        block
        for message in [json.loads(each) for each in api.prompts()]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    ]
    return result


class Printing:
    """Runs `claude -p` without a person, in a thread beside the test."""

    def __init__(self, client):
        self._thread = threading.Thread(target=self._run, args=(client,))
        self._thread.start()

    def _run(self, client):
        self.result = client.run("-p", "Make a file.", *ASKING)

    def end(self):
        self._thread.join(60)
        assert not self._thread.is_alive()
        return self.result


def test_printing_with_chorus_off_changes_nothing(client, api, made, tmp_path):
    """Without a server, the denial is the same, in the same words, as without any hook."""
    bare = client.run("-p", "Make a file.", *ASKING)
    words = told(api)
    assert run("hooks", "install", "--yes").exit_code == 0
    with ScriptedApi([TOUCH], DONE) as again:
        client.environment["ANTHROPIC_BASE_URL"] = again.url
        hooked = client.run("-p", "Make a file.", *ASKING)
        assert told(again) == words
    assert not made.exists()
    assert hooked["permission_denials"] == bare["permission_denials"] != []
    assert (hooked["result"], hooked["is_error"], hooked["num_turns"]) == (
        bare["result"],
        bare["is_error"],
        bare["num_turns"],
    )


def test_printing_is_allowed_from_the_ledger(client, made, person, server):
    """An approval in the ledger lets the call run although nobody is at the client."""
    printing = Printing(client)
    row = person.asked()
    assert (row.request.tool, row.request.cwd) == ("Bash", str(client.workspace))
    assert json.loads(row.request.input) == TOUCH["input"]
    assert isinstance(person.allow(row), Row)
    assert printing.end()["permission_denials"] == []
    assert made.exists()
    assert (told_by(person, row).state, told_by(person, row).effect) == (State.APPROVED, "took_effect")


def test_printing_is_denied_from_the_ledger(client, api, made, person, server):
    """After a denial in the ledger the call does not run, and the model reads the message."""
    printing = Printing(client)
    person.deny(person.asked(), "Ask the harbour master first.")
    printing.end()
    assert not made.exists()
    assert told(api)["content"] == "Ask the harbour master first."


def test_an_edited_input_is_what_runs(client, made, person, server):
    """The edited command of the person runs instead of the agent's."""
    printing = Printing(client)
    person.allow(person.asked(), input='{"command": "touch other.txt"}')
    printing.end()
    assert not made.exists() and (client.workspace / "other.txt").exists()


def test_a_strict_folder_denies_with_chorus_off(client, api, made, home):
    """In a strict folder without a server, the call is denied with a message that the model can read."""
    place = str(client.workspace)
    config.save(home.root, config.Config(workspaces=[config.Workspace(id=workspace_id(place), path=place)]))
    assert run("config", "set", f"workspaces.{workspace_id(place)}.gate", "strict").exit_code == 0
    client.run("-p", "Make a file.", *ASKING)
    assert not made.exists()
    assert "Chorus could not be asked" in told(api)["content"]


FAILING = {
    "is missing": None,
    "cannot be run": (b"#!/bin/sh\nexit 0\n", 0o600),
    "has no interpreter": (b"#!/nowhere/python\n", 0o700),
    "exits with 1": (b"#!/bin/sh\ncat >/dev/null; exit 1\n", 0o700),
    "exits with 127": (b"#!/bin/sh\ncat >/dev/null; exit 127\n", 0o700),
    "says nothing": (b"#!/bin/sh\ncat >/dev/null; exit 0\n", 0o700),
    "says garbage": (b'#!/bin/sh\ncat >/dev/null; echo \'{"hookSpecificOutput": {"decision": allow\'\n', 0o700),
    "says half": (
        b'#!/bin/sh\ncat >/dev/null; echo \'{"hookSpecificOutput":{"hookEventName":"PermissionRequest"}}\'\n',
        0o700,
    ),
    "is killed": (b"#!/bin/sh\nkill -9 $$\n", 0o700),
    "hangs": (b"#!/bin/sh\nexec sleep 600\n", 0o700),
}


@pytest.mark.parametrize("way", FAILING)
def test_a_hook_that_fails_allows_nothing(client, made, home, way):
    """C8: if the hook program fails in any way, the call does not run."""
    program = FAILING[way]
    home.program.unlink()
    if program is not None:
        home.program.write_bytes(program[0])
        home.program.chmod(program[1])
    if way == "hangs":
        settings = client.config / "settings.json"
        settings.write_text(settings.read_text().replace('"timeout": 600', '"timeout": 2').replace("10", "1"))
    client.run("-p", "Make a file.", *ASKING)
    assert not made.exists()


def test_in_a_terminal_with_chorus_off_the_prompt_is_as_ever(made, home, terminal):
    """Without a server the prompt appears without an error, and the person's answer counts."""
    terminal.say("Make a file.")
    assert "error" not in terminal.until(PROMPT).lower()
    terminal.answer(PROMPT, "1")
    assert "error" not in terminal.until("That was all.").lower()
    assert made.exists()


def test_in_a_terminal_an_approval_closes_the_prompt(made, person, server, terminal):
    """The prompt appears in the terminal and closes by itself after an approval."""
    terminal.say("Make a file.")
    row = person.asked()
    terminal.until(PROMPT)
    assert isinstance(person.allow(row), Row)
    terminal.until("That was all.")
    assert PROMPT not in terminal.screen()
    assert made.exists()


def test_in_a_terminal_a_denial_closes_the_prompt(api, made, person, server, terminal):
    """A denial closes the prompt, and the agent continues with the message of the denial."""
    terminal.say("Make a file.")
    row = person.asked()
    terminal.until(PROMPT)
    person.deny(row, "Ask the harbour master first.")
    terminal.until("That was all.")
    assert not made.exists()
    assert told(api)["content"] == "Ask the harbour master first."


def told_by(person, row):
    """Waits until the outcome of the row is known and returns the row."""
    return until(lambda: (found := person.ledger.row(row.id)) and not (found.is_pending or found.is_open) and found)


def outcome_of(person, row):
    """Returns the row as soon as its outcome is known; after ten seconds, the row that stays *sent*.

    The client records a refusal and an interrupt in the same way. At once after an approval, nobody can tell which.
    """
    end = time.monotonic() + UNKNOWN_AFTER_S
    while (found := person.ledger.row(row.id)).is_pending or (found.is_open and time.monotonic() < end):
        time.sleep(0.05)
    assert not found.is_open or (found.state, found.effect) == (State.APPROVED, "sent")
    return found


def has_run(row):
    """Returns whether the call ran, according to the row."""
    return row.state is State.APPROVED or (row.answered is not None and row.answered.behaviour == "allow")


@pytest.mark.parametrize(
    ("key", "is_made", "note"),
    [("1", True, "answered in the terminal: allowed"), ("Escape", False, "answered in the terminal: denied")],
    ids=["yes", "no"],
)
def test_answered_in_the_terminal_first_it_says_so(made, person, server, terminal, key, is_made, note):
    """After an answer in the terminal the row says so, a late click is refused, and no hook process is left.

    The hook gets no notice of an approval, so it is observed; after a denial the client ends the hook itself.
    """
    terminal.say("Make a file.")
    row = person.asked()
    terminal.answer(PROMPT, key)
    found = told_by(person, row)
    assert (found.state, found.note) == (State.ANSWERED, note)
    assert not isinstance(person.allow(row), Row)
    until(lambda: not _hooks_of(person))
    if is_made:
        terminal.until("That was all.")
    assert made.exists() == is_made


@pytest.mark.parametrize(
    "apart_s", [pytest.param(0.05, marks=pytest.mark.long), 0.2, pytest.param(0.6, marks=pytest.mark.long)]
)
@pytest.mark.parametrize(("key", "is_made"), [("1", True), ("Escape", False)], ids=["yes", "no"])
def test_a_click_just_after_the_terminal_came_too_late(made, person, server, terminal, key, is_made, apart_s):
    """After an answer in the terminal, the row shows that answer and what the client did, whatever a later click says.

    A terminal delays Escape for a moment, so the page can still be first; then the row shows the decision of the page.
    """
    terminal.say("Make a file.")
    row = person.asked()
    terminal.until(PROMPT)
    time.sleep(0.5)
    terminal.press(key)
    time.sleep(apart_s)
    person.deny(row) if is_made else person.allow(row)
    found = outcome_of(person, row)
    if key == "1" or found.state is State.ANSWERED:
        words = "answered in the terminal: " + ("allowed" if is_made else "denied")
        assert found.state is State.ANSWERED and found.note.startswith(words), found
    assert found.is_open or made.exists() == has_run(found), found


@pytest.mark.parametrize(
    "apart_s", [pytest.param(0.05, marks=pytest.mark.long), 0.2, pytest.param(0.6, marks=pytest.mark.long)]
)
@pytest.mark.parametrize("is_allowed", [True, False], ids=["yes", "no"])
def test_a_key_just_after_the_click_changes_nothing_in_the_row(made, person, server, terminal, is_allowed, apart_s):
    """Whichever answer the client accepted, the row agrees with what the client did, or says that it is not known."""
    terminal.say("Make a file.")
    row = person.asked()
    terminal.until(PROMPT)
    time.sleep(0.5)
    assert (person.allow(row) if is_allowed else person.deny(row)).effect == "sent"
    time.sleep(apart_s)
    terminal.press("Escape" if is_allowed else "1")
    found = outcome_of(person, row)
    assert found.is_open or made.exists() == has_run(found), found
    assert found.is_open or (found.effect == "took_effect") == (found.state is not State.ANSWERED)


SLOW = {**TOUCH, "input": {**TOUCH["input"], "command": "touch made.txt; sleep 60"}}


@pytest.mark.parametrize("api", [SLOW], indirect=True, ids=["slow"])
@pytest.mark.parametrize("surface", ["page", "terminal"])
def test_a_call_that_is_interrupted_while_it_runs_was_allowed(made, person, server, terminal, surface):
    """A running call that is interrupted in the terminal was allowed, although the client's file says rejected."""
    terminal.say("Make a file.")
    row = person.asked()
    terminal.until(PROMPT)
    person.allow(row) if surface == "page" else terminal.answer(PROMPT, "1")
    until(made.exists)
    until(lambda: not person.ledger.row(row.id).is_pending)
    time.sleep(1.5)  # Sooner, an interrupt could be a refusal.
    terminal.press("Escape")
    assert has_run(told_by(person, row)), person.ledger.row(row.id)


@pytest.mark.parametrize("answer", ["allow", "deny"])
def test_another_hook_that_answers_first_is_answered_elsewhere(client, made, person, server, answer):
    """If another hook answers first, the row says that it was answered elsewhere, and how."""
    settings = json.loads((client.config / "settings.json").read_text())
    told = {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": answer}}}
    command = f"sleep 1; echo '{json.dumps(told)}'"
    settings["hooks"]["PermissionRequest"].append({"matcher": "*", "hooks": [{"type": "command", "command": command}]})
    (client.config / "settings.json").write_text(json.dumps(settings))
    printing = Printing(client)
    row = person.asked()
    found = told_by(person, row)
    printing.end()
    assert (found.state, found.note) == (
        State.ANSWERED,
        f"answered elsewhere: {'allowed' if answer == 'allow' else 'denied'}",
    )
    assert made.exists() == (answer == "allow")


def test_a_hook_that_is_killed_leaves_the_prompt(made, person, server, terminal):
    """If the hook is killed, the request is withdrawn, and the person at the terminal decides."""
    terminal.say("Make a file.")
    row = person.asked()
    terminal.until(PROMPT)
    (hook,) = _hooks_of(person)
    os.kill(hook, signal.SIGKILL)
    assert person.settled(row).state is State.WITHDRAWN
    assert PROMPT in terminal.screen()
    terminal.answer(PROMPT, "1")
    terminal.until("That was all.")
    assert made.exists()
    assert told_by(person, row).note == "answered in the terminal: allowed"


def test_a_session_says_that_it_waits_without_any_hook(client, tmp_path, terminal):
    """The client's own registry shows that a session waits for a person, without any hook."""
    with serving(tmp_path / "chorus", client.config) as server, server.browser().live() as live:
        terminal.say("Make a file.")
        frame = live.until(lambda frame: any(each["status"] == "waiting" for each in frame.get("sessions", [])))
        assert frame["sessions"][0]["waiting_for"] == "permission prompt"
        terminal.answer(PROMPT, "1")
        live.until(lambda frame: [each["status"] for each in frame.get("sessions", [])] == ["idle"])


def _hooks_of(person):
    """Returns the processes that run the hook program of this home."""
    program = str(person.state.parent / "bin" / "chorus-hook").encode()
    return [
        int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit() and {program, b"-I"} <= _words(path)
    ]


def _words(process):
    try:
        return set((process / "cmdline").read_bytes().split(b"\0"))
    except OSError:
        return set()


def agent(number):
    given = {"description": f"agent {number}", "prompt": "Make a file.", "subagent_type": "general-purpose"}
    return {"type": "tool_use", "id": f"toolu_agent_{number}", "name": "Agent", "input": given}


def touch(name):
    return {**TOUCH, "id": f"toolu_{name}", "input": {"command": f"touch {name}.txt", "description": f"Make {name}"}}


@pytest.fixture
def two_agents(client):
    """An API whose model starts two sub-agents that each want to make a file."""
    with ScriptedApi([agent(1), agent(2)], [touch("one")], [touch("two")], DONE) as api:
        client.environment["ANTHROPIC_BASE_URL"] = api.url
        yield api


def test_two_sub_agents_ask_at_once(client, two_agents, person, server, terminal):
    """C9: each sub-agent gets its own answer. The client delays the prompt of a sub-agent until its hook has ended."""
    terminal.say("Make two files.")
    rows = until(lambda: len(found := person.ledger.pending()) == 2 and found)
    assert len({row.request.agent for row in rows} - {None}) == 2
    one, two = sorted(rows, key=lambda row: row.request.input)
    assert isinstance(person.allow(one), Row)
    until((client.workspace / "one.txt").exists)
    (hook,) = until(lambda: len(found := _hooks_of(person)) == 1 and found)
    assert PROMPT not in terminal.screen() and person.ledger.row(two.id).is_pending
    os.kill(hook, signal.SIGKILL)
    assert person.settled(two).state is State.WITHDRAWN
    terminal.answer(PROMPT, "1")
    until((client.workspace / "two.txt").exists)


def test_a_suggestion_that_was_chosen_is_the_only_one_taken(client, made, person, server):
    """C10: of all suggestions of the client, only the one that the person chose takes effect."""
    printing = Printing(client)
    row = person.asked()
    offered = [json.loads(each) for each in row.request.suggestions]
    chosen = next(number for number, each in enumerate(offered) if each["type"] == "addDirectories")
    assert any(each["type"] == "setMode" for each in offered)
    assert isinstance(person.allow(row, suggestions=[chosen]), Row)
    printing.end()
    assert made.exists()
    (file,) = (client.config / "projects").glob("*/*.jsonl")
    assert "acceptEdits" not in file.read_text()
