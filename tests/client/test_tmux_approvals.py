"""Tests of approving the prompts of the real client through its pane, without any hook."""

import pytest

from chorus.steer.approvals.model import State
from chorus.steer.hooks.home import Home
from tests.show.server.serving import until
from tests.show.server.test_approvals import allowing
from tests.support.real_client import Unavailable
from tests.support.scripted_api import ScriptedApi
from tests.support.terminal import Terminal

PROMPT = "Do you want to"
DONE = [{"type": "text", "text": "That was all."}]


def call(name, tool="Bash", **given):
    return [{"type": "tool_use", "id": f"toolu_{name}", "name": tool, "input": given}]


def touching(name):
    return call(name, command=f"touch {name}.txt", description=f"Make {name}")


@pytest.fixture
def api(tmp_path):
    written = str(tmp_path / "person" / "work" / "new.txt")
    answers = [
        touching("a"),
        DONE,
        call("w", "Write", file_path=written, content="one\n2. No\n"),
        DONE,
        call("b", command="touch b.txt\n\ttouch 'c  c.txt'\n", description="Make two files"),
        DONE,
    ]
    with ScriptedApi(*answers) as api:
        yield api


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path / "chorus")


@pytest.fixture
def terminal(client):
    try:
        terminal = Terminal(client, "--permission-mode", "default")
    except Unavailable as reason:
        pytest.skip(str(reason))
    with terminal:
        yield terminal


def outcome(person, row):
    """Returns the row when its outcome is known."""
    return until(lambda: (found := person.ledger.row(row.id)) and not found.is_pending and not found.is_open and found)


def test_prompts_in_a_pane_are_answered_from_the_page(client, person, server, terminal):
    """Allowed with a signature, a command runs and a file is written; a denial stops the next command, which has
    several lines."""
    browser = server.browser()
    terminal.say("Make a file.")
    row = person.asked()
    assert (row.request.source, row.request.tool, row.request.tool_use) == ("tmux", "Bash", "toolu_a")
    assert row.request.input == '{"command":"touch a.txt","description":"Make a"}'
    assert not (client.workspace / "a.txt").exists()
    answer = browser.post(f"/api/approvals/{row.id}", allowing(row, person.signer))
    assert answer.status == 200, answer
    assert (outcome(person, row).state, outcome(person, row).effect) == (State.APPROVED, "took_effect")
    assert (client.workspace / "a.txt").exists()
    terminal.until("That was all.")

    terminal.say("Write a file.")
    row = person.asked()
    assert (row.request.tool, row.request.tool_use) == ("Write", "toolu_w")
    person.allow(row)
    assert outcome(person, row).effect == "took_effect"
    assert (client.workspace / "new.txt").read_text() == "one\n2. No\n"
    until(lambda: PROMPT not in terminal.screen())

    terminal.say("Make two more.")
    row = person.asked()
    assert row.request.tool_use == "toolu_b"
    person.deny(row)
    assert (outcome(person, row).state, outcome(person, row).effect) == (State.DENIED, "took_effect")
    assert not (client.workspace / "b.txt").exists()


def test_the_person_at_the_terminal_is_faster(client, person, server, terminal):
    """An answer in the pane ends the request; a later approval is refused, and no key is sent."""
    terminal.say("Make a file.")
    row = person.asked()
    terminal.answer(PROMPT, "4")
    settled = person.settled(row)
    assert settled.state in (State.WITHDRAWN, State.ANSWERED)
    assert not isinstance(person.allow(row), type(row))
    assert not (client.workspace / "a.txt").exists()


def test_a_pane_that_changed_gets_no_key(client, person, server, terminal):
    """In copy mode the request is withdrawn, and it comes again when the person has left it."""
    terminal.say("Make a file.")
    row = person.asked()
    terminal._run("copy-mode")
    assert person.settled(row).state is State.WITHDRAWN
    terminal._run("send-keys", "-X", "cancel")
    again = person.asked()
    assert again.id != row.id
    assert not isinstance(person.allow(row), type(row))
    person.allow(again)
    assert outcome(person, again).effect == "took_effect"
    assert (client.workspace / "a.txt").exists()
