"""Tests of prompts in panes that lie: no pane gets a key unless three sources agree, and nothing has changed since.

The programs in these panes record every byte that they get. The person approves everything that is asked.
"""

import json
import os
import random
import signal
import sys
from pathlib import Path

import pytest

from chorus.base.config import Config
from chorus.show.server.live.pane_requests import OUTCOME_S, STABLE_S, PaneRequests
from chorus.steer.approvals.approvers import ApproversFile, pin
from chorus.steer.approvals.model import State
from chorus.steer.approvals.rules.rule_book import RuleBook
from chorus.steer.tmux.open_servers import OpenServers
from chorus.testing.builders import Session, blocks
from tests.steer.approvals.samples import add_approver, add_rule, allow, request
from tests.steer.clients.entries import entry, put
from tests.steer.hooks.deciding import Person
from tests.support import byte_recorder
from tests.support.panes import missing, pane_server, until

RULE = "─" * 78
OPTIONS = (" ❯ 1. Yes", "   2. Yes, and always allow access to /w", "      from this project", "   3. No")


def prompt(command, options=OPTIONS, question=" Do you want to proceed?"):
    """Returns the screen of a client that asks about a command."""
    return "\r\n".join(
        ("", RULE, " Bash command", f" {command}", question, *options, "", " Esc to cancel · Tab to amend", "")
    )


class Scene:
    """Panes with programs that claim to be clients, and what their registry and session files say."""

    def __init__(self, tmux, folder):
        self.tmux = tmux
        self.claude = folder / "claude"
        self.count = 0
        self.person = Person(folder / "home")
        self.now = 1_000.0
        self.servers = OpenServers(Config())
        state = folder / "home" / "state"
        trust = pin(state)
        self.requests = PaneRequests(
            self.person.ledger,
            trust,
            ApproversFile(state),
            RuleBook(state, trust),
            [self.claude],
            name_of=lambda _session: None,
            ticks=lambda: self.now,
        )

    def close(self):
        self.servers.close()

    def show(self, text="", *, call=(sys.executable, byte_recorder.__file__)):
        """Starts a program that shows a text and records what it gets; returns its pane."""
        self.count += 1
        file = self.tmux.folder / f"bytes-{self.count}"
        file.write_bytes(b"")
        pane = self.tmux.open(*call, str(file), text, height=40, session=f"s{self.count}")
        until(lambda: "ready" in self.tmux.screen(pane))
        return pane

    def pid(self, pane):
        return int(self.tmux.ask(pane, "pane_pid"))

    def client(self, pane, *commands, tool="Bash", results=0, **changes):
        """Writes the registry entry and the session file of a client in a pane; returns its session."""
        self.count += 1
        session = Session(f"4b1e2c3d-0000-4000-8000-{self.count:012}")
        session.user("go")
        for number, command in enumerate(commands):
            given = {"command": command} if tool == "Bash" else {"questions": [], "command": command}
            session.assistant(blocks.tool_use(tool, given, id=f"toolu_{self.count}_{number}"))
        for number in range(results):
            session.tool_result(f"toolu_{self.count}_{number}", "done")
        said = {"status": "waiting", "waitingFor": "permission prompt", "statusUpdatedAt": 1794705719999} | changes
        put(self.claude, entry(said.pop("pid", None) or self.pid(pane), session=session.id, **said))
        path = self.claude / "projects" / "-w" / f"{session.id}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(session))
        return session

    def look(self, times=3):
        """Lets time pass; the person approves whatever is asked."""
        approved = []
        for _ in range(times):
            self.requests.look(self.servers.connections())
            for row in self.person.ledger.pending():
                self.person.allow(row)
                approved.append(row)
            self.requests.step(self.servers.connections())
            self.now += STABLE_S + 1
        return approved

    def got(self):
        """Returns all bytes that any pane got."""
        return b"".join(path.read_bytes() for path in sorted(self.tmux.folder.glob("bytes-*")))

    def draw(self, pane, text):
        """Draws over the screen of a pane from outside."""
        Path(self.tmux.ask(pane, "pane_tty")).write_bytes(b"\x1b[2J\x1b[H" + text.encode())


@pytest.fixture
def scene(tmp_path, monkeypatch):
    if (why := missing()) is not None:
        pytest.skip(why)
    with pane_server() as tmux:
        monkeypatch.setenv("TMUX_TMPDIR", str(tmux.folder))
        scene = Scene(tmux, tmp_path)
        yield scene
        scene.close()


def test_an_honest_pane_gets_one_key(scene):
    """Where three sources agree, the approval is the key of the label Yes, once, however often one looks."""
    pane = scene.show(prompt("touch a"))
    session = scene.client(pane, "touch a")
    (row,) = scene.look(8)
    until(lambda: scene.got() == b"1")
    assert (row.request.session, row.request.tool, json.loads(row.request.input)) == (
        session.id,
        "Bash",
        {"command": "touch a"},
    )


def test_a_denial_is_the_key_of_the_label_no(scene):
    """Nobody has to sign a denial."""
    scene.client(scene.show(prompt("touch a")), "touch a")
    scene.look(1)
    scene.requests.look(scene.servers.connections())
    (row,) = scene.person.ledger.pending()
    scene.person.deny(row)
    scene.requests.step(scene.servers.connections())
    until(lambda: scene.got() == b"3")


def test_a_rule_answers_in_a_pane(scene):
    """A rule that an approver signed is the key, once, and the row names the rule; nobody is asked."""
    add_rule(scene.person.state, 'allow command:"touch *"')
    scene.client(scene.show(prompt("touch a")), "touch a")
    assert scene.look(6) == []
    until(lambda: scene.got() == b"1")
    (row,) = scene.person.ledger.rows()
    assert row.state is State.APPROVED
    assert row.decision.rule_names.startswith("rule ")


def test_a_rule_whose_answer_failed_is_not_asked_again(scene):
    """The pane changed before the key of a rule: a person is asked about the same prompt afterwards."""
    add_rule(scene.person.state, 'allow command:"touch *"')
    pane = scene.show(prompt("touch a"))
    scene.client(pane, "touch a")
    scene.requests.look(scene.servers.connections())
    scene.now += STABLE_S + 1
    scene.requests.look(scene.servers.connections())
    scene.tmux.run("copy-mode", "-t", pane)
    scene.requests.step(scene.servers.connections())
    scene.tmux.run("send-keys", "-t", pane, "-X", "cancel")
    for _ in range(3):
        scene.requests.look(scene.servers.connections())
        scene.now += STABLE_S + 1
    (row,) = scene.person.ledger.pending()
    assert row.request.tool == "Bash"
    assert scene.got() == b""


def test_an_attempt_without_an_effect_has_failed(scene):
    """If the client still waits after the key, the row says so, and there is no second key."""
    scene.client(scene.show(prompt("touch a")), "touch a")
    (row,) = scene.look(3)
    scene.now += OUTCOME_S + 1
    scene.look(6)
    failed = scene.person.ledger.row(row.id)
    assert (failed.state, failed.effect) == (State.APPROVED, "failed")
    assert "still waits" in failed.note
    until(lambda: scene.got() == b"1")
    assert scene.person.ledger.pending() == []


def test_an_approval_by_somebody_else_is_no_key(scene, tmp_path):
    """An approval that another process wrote into the ledger, with a key that this server does not know, fails."""
    scene.client(scene.show(prompt("touch a")), "touch a")
    scene.look(1)
    scene.requests.look(scene.servers.connections())
    (row,) = scene.person.ledger.pending()
    foreign = add_approver(tmp_path / "elsewhere", "mallory")
    forged = scene.person.ledger.decide(row.id, row.digest, allow(row, "mallory"), foreign)
    assert forged.state is State.APPROVED
    scene.requests.step(scene.servers.connections())
    assert scene.got() == b""
    assert scene.person.ledger.row(row.id).state is State.INVALID


# What a pane, a registry or a file may say that is not enough. Each function makes one pane.


def only_text(scene):
    scene.show(prompt("touch a"))


def only_records(scene):
    flat = '{"type":"session_start","session_id":"x"}\r\n{"type":"permission_request","prompt":"Allow?"}\r\n'
    scene.show(flat + prompt("touch a"))


def another_process(scene):
    pane = scene.show(prompt("touch a"))
    scene.client(pane, "touch a", pid=os.getpid())


def no_open_call(scene):
    scene.client(scene.show(prompt("touch a")), "touch a", results=1)


def no_calls(scene):
    scene.client(scene.show(prompt("touch a")))


def two_open_calls(scene):
    scene.client(scene.show(prompt("touch a")), "touch a", "touch b")


def open_call_of_sub_agent(scene):
    session = scene.client(scene.show(prompt("touch a")), "touch a")
    other = Session(session.id)
    other.assistant(blocks.tool_use("Bash", {"command": "rm -rf x"}, id="toolu_sub"))
    path = scene.claude / "projects" / "-w" / session.id / "subagents" / "agent-a1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(bytes(other))


def starts_sub_agent(scene):
    scene.client(scene.show(prompt("touch a")), "touch a", tool="Task")


def asks_question(scene):
    scene.client(scene.show(prompt("touch a")), "touch a", tool="AskUserQuestion")


def is_busy(scene):
    scene.client(scene.show(prompt("touch a")), "touch a", status="busy")


def is_idle(scene):
    scene.client(scene.show(prompt("touch a")), "touch a", status="idle")


def waits_for_input(scene):
    scene.client(scene.show(prompt("touch a")), "touch a", waitingFor="input")


def does_not_say_since_when(scene):
    scene.client(scene.show(prompt("touch a")), "touch a", statusUpdatedAt=None)


def another_start(scene):
    scene.client(scene.show(prompt("touch a")), "touch a", procStart="1")


def another_command(scene):
    scene.client(scene.show(prompt("touch a")), "rm -rf everything")


def a_longer_command(scene):
    scene.client(scene.show(prompt("touch a; rm -rf everything")), "touch a")


def a_line_of_the_command(scene):
    scene.client(scene.show(prompt("rm -rf everything\r\n touch a")), "touch a\ntouch b")


def two_prompts(scene):
    scene.client(scene.show(prompt("touch a") + prompt("touch a")), "touch a")


def no_prompt(scene):
    scene.client(scene.show("❯ "), "touch a")


def options_mixed_up(scene):
    options = (" ❯ 1. No", "   3. Yes")
    scene.client(scene.show(prompt("touch a", options)), "touch a")


def two_ways_to_say_yes(scene):
    options = (" ❯ 1. Yes", "   2. Yes", "   3. No")
    scene.client(scene.show(prompt("touch a", options)), "touch a")


def no_plain_yes(scene):
    options = (" ❯ 1. Yes, and allow everything from now on", "   2. No")
    scene.client(scene.show(prompt("touch a", options)), "touch a")


def text_after_the_prompt(scene):
    scene.client(scene.show(prompt("touch a") + "\r\nsome output\r\n" * 9), "touch a")


def scrolled_back(scene):
    pane = scene.show("\r\n" * 80 + prompt("touch a"))
    scene.client(pane, "touch a")
    scene.tmux.run("copy-mode", "-t", pane)
    scene.tmux.run("send-keys", "-t", pane, "-X", "page-up")


def covered_by_a_zoomed_pane(scene):
    pane = scene.show(prompt("touch a"))
    scene.client(pane, "touch a")
    other = scene.tmux.run("split-window", "-t", pane, "-P", "-F", "#{pane_id}", "cat")
    scene.tmux.run("resize-pane", "-Z", "-t", other)


def dead(scene):
    scene.tmux.run("set-option", "-g", "remain-on-exit", "on")
    pane = scene.show(prompt("touch a"))
    scene.client(pane, "touch a")
    os.kill(scene.pid(pane), signal.SIGKILL)
    until(lambda: scene.tmux.ask(pane, "pane_dead") == "1")


def in_the_background(scene):
    pane = scene.tmux.open("bash", "--norc", "-i", height=40)
    note = scene.tmux.folder / f"pid-{scene.count}"
    scene.tmux.type(pane, f"sleep 60 & echo $! > {note}")
    until(lambda: note.exists() and note.read_text().strip())
    scene.draw(pane, prompt("touch a"))
    scene.client(pane, "touch a", pid=int(note.read_text()))


def damaged_file(scene):
    session = scene.client(scene.show(prompt("touch a")), "touch a")
    with (scene.claude / "projects" / "-w" / f"{session.id}.jsonl").open("ab") as file:
        file.write(b'{"type":"user","message":{"content":[{"type":"tool_res')


def two_files(scene):
    session = scene.client(scene.show(prompt("touch a")), "touch a")
    copy = scene.claude / "projects" / "-other" / f"{session.id}.jsonl"
    copy.parent.mkdir(exist_ok=True)
    copy.write_bytes(bytes(session))


LIES = [
    only_text, only_records, another_process, no_open_call, no_calls, two_open_calls, open_call_of_sub_agent,
    starts_sub_agent, asks_question, is_busy, is_idle, waits_for_input, does_not_say_since_when, another_start,
    another_command, a_longer_command, a_line_of_the_command,
    two_prompts, no_prompt, options_mixed_up, two_ways_to_say_yes, no_plain_yes, text_after_the_prompt,
    scrolled_back, covered_by_a_zoomed_pane, in_the_background, damaged_file, two_files, dead,
]  # fmt: skip


@pytest.mark.parametrize("rounds", [1, pytest.param(8, marks=pytest.mark.long)])
def test_panes_that_lie_get_no_key(scene, rounds):
    """Whatever panes print and files claim, nothing is asked and no pane gets a byte."""
    for _ in range(rounds):
        for lie in random.Random(rounds).sample(LIES[:-1], len(LIES) - 1):
            lie(scene)
    dead(scene)
    assert scene.look(4) == []
    assert scene.got() == b""
    assert rounds * (len(LIES) - 1) + 1 >= (200 if rounds > 1 else 20)


def redraw(scene, pane, _session):
    scene.draw(pane, prompt("touch b"))


def answer_in_terminal(scene, _pane, session):
    session.tool_result(f"toolu_{scene.count}_0", "done")
    (scene.claude / "projects" / "-w" / f"{session.id}.jsonl").write_bytes(bytes(session))


def ask_for_more(scene, _pane, session):
    session.assistant(blocks.tool_use("Bash", {"command": "touch b"}, id="toolu_more"))
    (scene.claude / "projects" / "-w" / f"{session.id}.jsonl").write_bytes(bytes(session))


def wait_anew(scene, pane, session):
    said = {"status": "waiting", "waitingFor": "permission prompt", "statusUpdatedAt": 1794705720001}
    put(scene.claude, entry(scene.pid(pane), session=session.id, **said))


def become_busy(scene, pane, session):
    put(scene.claude, entry(scene.pid(pane), session=session.id, status="busy"))


def scroll(scene, pane, _session):
    scene.tmux.run("copy-mode", "-t", pane)


def end_program(scene, pane, _session):
    scene.tmux.run(
        "respawn-pane", "-k", "-t", pane, sys.executable, byte_recorder.__file__, str(scene.tmux.folder / "bytes-x")
    )


CHANGES = [redraw, answer_in_terminal, ask_for_more, wait_anew, become_busy, scroll, end_program]


@pytest.mark.parametrize("change", CHANGES)
def test_anything_that_changed_since_the_card_cancels(scene, change):
    """The person approves what was asked, but something changed in between: no key, and the row says why."""
    pane = scene.show(prompt("touch a"))
    session = scene.client(pane, "touch a")
    scene.requests.look(scene.servers.connections())
    scene.now += STABLE_S + 1
    scene.requests.look(scene.servers.connections())
    (row,) = scene.person.ledger.pending()
    scene.person.allow(row)
    change(scene, pane, session)
    scene.requests.step(scene.servers.connections())
    failed = scene.person.ledger.row(row.id)
    assert (failed.state, failed.effect) == (State.APPROVED, "failed")
    assert scene.got() == b""
    assert not (scene.tmux.folder / "bytes-x").exists() or (scene.tmux.folder / "bytes-x").read_bytes() == b""


@pytest.mark.parametrize("rounds", [30, pytest.param(2_250, marks=pytest.mark.long)])
def test_a_prompt_that_was_swapped_gets_no_key(scene, rounds):
    """The prompt is swapped between the card and the key, again and again: no key; unswapped, the key is sent."""
    rng = random.Random(rounds)
    pane = scene.show(prompt("touch a"))
    honest = answered = 0
    for number in range(rounds):
        command = f"touch {number}"
        scene.draw(pane, prompt(command))
        until(lambda: f" {command}\n" in scene.tmux.screen(pane))  # noqa: B023 - called at once
        session = scene.client(pane, command)
        scene.requests.look(scene.servers.connections())
        scene.now += STABLE_S + 1
        scene.requests.look(scene.servers.connections())
        (row,) = scene.person.ledger.pending()
        scene.person.allow(row)
        before = scene.got()
        is_swapped = number % 10 != 9
        change = rng.choice(CHANGES[:5])
        if is_swapped:
            change(scene, pane, session)
            # Only a swapped screen has to be waited for: the other changes are files.
            until(lambda: change is not redraw or " touch b\n" in scene.tmux.screen(pane))  # noqa: B023 - called at once
        scene.requests.step(scene.servers.connections())
        if is_swapped:
            assert scene.person.ledger.row(row.id).effect == "failed", change
            assert scene.got() == before
        else:
            honest += 1
            until(lambda: scene.got() == before + b"1")  # noqa: B023 - called at once
            answered += 1
            scene.now += OUTCOME_S + 1
        put(scene.claude, entry(scene.pid(pane), session=session.id, status="idle"))
        scene.requests.look(scene.servers.connections())
    print(f"{rounds - honest} swaps, 0 keys; {honest} prompts that did not change, {answered} keys")


def test_another_request_for_the_session_has_precedence(scene):
    """While a hook asks about the session, the pane does not."""
    session = scene.client(scene.show(prompt("touch a")), "touch a")
    asked = request(session=session.id)
    scene.person.ledger.ask(asked)
    scene.requests.look(scene.servers.connections())
    scene.now += STABLE_S + 1
    scene.requests.look(scene.servers.connections())
    assert [row.id for row in scene.person.ledger.pending()] == [asked.id]
