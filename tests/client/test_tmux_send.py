"""Tests of messages to the real client in a pane of tmux."""

import json

import pytest

from chorus.errors import ChorusError
from tests.cli.commands import run
from tests.support.panes import until
from tests.support.real_client import Unavailable
from tests.support.scripted_api import ScriptedApi
from tests.support.terminal import Terminal

TOUCH = {
    "type": "tool_use",
    "id": "toolu_1",
    "name": "Bash",
    "input": {"command": "touch made.txt", "description": "x"},
}
DONE = [{"type": "text", "text": "That was all."}]


@pytest.fixture
def api():
    with ScriptedApi(DONE, [TOUCH], DONE) as api:
        yield api


@pytest.fixture
def terminal(client):
    try:
        terminal = Terminal(client, "--permission-mode", "default")
    except Unavailable as reason:
        pytest.skip(str(reason))
    with terminal:
        yield terminal


def session_of(client):
    (entry,) = until(lambda: list((client.config / "sessions").glob("*.json")))
    return until(lambda: json.loads(entry.read_text()).get("sessionId"))


def refusal(session, text):
    """Sends a message; returns why it was refused, or nothing."""
    try:
        assert "sent to the pane" in run("send", session, text).output
    except ChorusError as error:
        return str(error)
    return ""


def test_a_message_reaches_the_client_and_its_record(client, api, terminal):
    """The client gets the text of several lines as one message; refused while a person typed or a prompt is open."""
    session = session_of(client)
    text = "First line; with a semicolon;\nsecond line $HOME `x`;"
    until(lambda: refusal(session[:8], text) == "")
    terminal.until("That was all.")
    assert any("second line $HOME `x`;" in each for each in api.prompts())
    # The client writes its file a moment after the answer.
    users = until(
        lambda: [
            each
            for file in (client.config / "projects").glob(f"*/{session}.jsonl")
            for line in file.read_text().splitlines()
            if (each := json.loads(line))["type"] == "user"
        ]
    )
    assert users[0]["message"]["content"] == text

    terminal._run("send-keys", "-l", "half a thought")
    terminal.until("half a thought")
    until(lambda: "there is text in the input" in refusal(session, "more"))
    assert "half a thought" in terminal.screen()
    terminal.press("C-u")
    until(lambda: "half a thought" not in terminal.screen())

    terminal.say("Make a file.")
    terminal.until("Do you want to proceed?")
    until(lambda: "a prompt is open" in refusal(session, "1"))
    assert not (client.workspace / "made.txt").exists()
    assert "Do you want to proceed?" in terminal.screen()
