"""Tests of permission requests in panes that print flat events, with a real tmux and programs that read a line."""

import shlex

import pytest

from chorus.base import processes
from chorus.base.config import Config
from chorus.show.server.live.pane_requests import OUTCOME_S, STABLE_S, PaneRequests
from chorus.steer.approvals.approvers import ApproversFile, pin
from chorus.steer.approvals.model import State
from chorus.steer.approvals.rules.rule_book import RuleBook
from chorus.steer.tmux.flat_prompts import FlatPrompts
from chorus.steer.tmux.following import Following
from chorus.steer.tmux.open_servers import OpenServers
from chorus.testing.builders import Flat
from tests.steer.approvals.samples import add_rule
from tests.steer.hooks.deciding import Person
from tests.support.panes import missing, pane_server, until

PROMPT = "Allow the agent to execute 'rm -rf /tmp/build'?"


class Scene:
    """One pane with a program that asks, and a server that watches it."""

    def __init__(self, tmux, folder):
        self.tmux = tmux
        self.person = Person(folder / "home")
        self.now = 1_000.0
        self.servers = OpenServers(Config())
        self.following = Following(folder / "home", lambda text: None)
        state = folder / "home" / "state"
        trust = pin(state)
        self.requests = PaneRequests(
            self.person.ledger,
            trust,
            ApproversFile(state),
            RuleBook(state, trust),
            [folder / "claude"],
            name_of=lambda _session: None,
            ticks=lambda: self.now,
        )
        self.prompts = FlatPrompts(self.following.streams)
        self.requests.sources.append(self.prompts)

    def close(self):
        self.following.close()
        self.servers.close()

    def ask(self, *prompts, then='read x; printf \'{"type":"text","text":"got %s"}\\n\' "$x"; sleep 60'):
        """Starts a program that prints requests, reads a line and prints what it got; waits until it is followed."""
        flat = Flat()
        flat.start("flat-1")
        for prompt in prompts or (PROMPT,):
            flat.permission_request(prompt)
        file = self.tmux.folder / "data"
        file.write_bytes(bytes(flat))
        pane = self.tmux.open("sh", "-c", f"cat {shlex.quote(str(file))}; {then}", session="work")
        until(lambda: self.follow() and self.following.panes and "permission_request" in self.tmux.screen(pane))
        return pane

    def follow(self):
        self.following.look(self.servers.panes(), processes.at_terminals(), self.servers.connections())
        self.following.step()
        return True

    def look(self):
        """Looks twice, so long apart that a request is made if the sources agree; returns what is pending."""
        for _ in range(2):
            self.follow()
            self.requests.look(self.servers.connections())
            self.now += STABLE_S + 1
        return self.person.ledger.pending()

    def step(self):
        self.requests.step(self.servers.connections())

    def ended(self, row):
        """Returns the row when its outcome is known."""

        def look():
            self.follow()
            self.requests.look(self.servers.connections())
            found = self.person.ledger.row(row.id)
            return found if found and not found.is_pending and not found.is_open else None

        return until(look)


@pytest.fixture
def scene(tmp_path, monkeypatch):
    if (why := missing()) is not None:
        pytest.skip(why)
    with pane_server() as tmux:
        monkeypatch.setenv("TMUX_TMPDIR", str(tmux.folder))
        scene = Scene(tmux, tmp_path)
        yield scene
        scene.close()


@pytest.mark.parametrize("behaviour", ["allow", "deny"])
def test_a_request_in_a_stream_is_answered_with_a_line(scene, behaviour):
    """The card is the record; the answer is the line y or n, once, and the next record says that it took effect."""
    pane = scene.ask()
    (row,) = scene.look()
    assert (row.request.session, row.request.tool) == ("flat-1", "permission_request")
    assert "rm -rf /tmp/build" in row.request.input
    (scene.person.allow if behaviour == "allow" else scene.person.deny)(row)
    scene.step()
    scene.step()
    assert scene.ended(row).effect == "took_effect"
    got = "got y" if behaviour == "allow" else "got n"
    assert scene.tmux.screen(pane).count(got) == 1
    assert scene.look() == []


def test_a_question_below_the_record_is_no_obstacle(scene):
    """A program that asks in words as well, and names both keys, gets its answer."""
    pane = scene.ask(
        then='printf \'Allow? [y/N] \'; read x; printf \'{"type":"text","text":"got %s"}\\n\' $x; sleep 60'
    )
    until(lambda: "[y/N]" in scene.tmux.screen(pane))
    (row,) = scene.look()
    scene.person.allow(row)
    scene.step()
    assert scene.ended(row).effect == "took_effect"


def test_no_rule_about_commands_applies(scene):
    """Rules see a tool of its own name: what the prompt says about a command is not believed, so a person is asked."""
    add_rule(scene.person.state, 'allow command:"rm *"')
    scene.ask()
    (row,) = scene.look()
    assert row.is_pending


def test_a_program_that_does_not_go_on_has_not_acted(scene):
    """Without a record after the key, the attempt has failed, and there is no second key."""
    pane = scene.ask(then="read x; read x; sleep 60")
    (row,) = scene.look()
    scene.person.allow(row)
    scene.step()
    scene.now += OUTCOME_S + 1
    failed = scene.ended(row)
    assert (failed.state, failed.effect) == (State.APPROVED, "failed")
    assert scene.look() == []
    # The terminal echoes the key when it gets it, which may be after the row has changed.
    until(lambda: "y" in scene.tmux.screen(pane).splitlines())
    assert scene.tmux.screen(pane).splitlines().count("y") == 1


def two_requests(scene):
    scene.ask("Allow a?", "Allow b?")


def typed_by_a_person(scene):
    pane = scene.ask()
    scene.tmux.run("send-keys", "-t", pane, "-l", "maybe")
    until(lambda: "maybe" in scene.tmux.screen(pane))


def more_output(scene):
    pane = scene.ask(then="echo something else; read x")
    until(lambda: "something else" in scene.tmux.screen(pane))


def scrolled(scene):
    scene.tmux.run("copy-mode", "-t", scene.ask())


def program_ended(scene):
    pane = scene.ask(then="read x; exec bash --norc -i")
    scene.tmux.run("send-keys", "-t", pane, "Enter")
    until(lambda: "bash" in scene.tmux.ask(pane, "pane_current_command"))


def answered_in_the_terminal(scene):
    pane = scene.ask()
    scene.tmux.type(pane, "n")
    until(lambda: "got n" in scene.tmux.screen(pane))


LIES = [two_requests, typed_by_a_person, more_output, scrolled, program_ended, answered_in_the_terminal]


@pytest.mark.parametrize("lie", LIES)
def test_a_request_that_is_not_clear_is_only_shown(scene, lie):
    """Two requests, typed text, other output, copy mode, another program, an answer: nothing is asked."""
    lie(scene)
    assert scene.look() == []


@pytest.mark.parametrize(
    ("lie", "why"),
    [
        (two_requests, "another request came right before it, and nobody answered that one"),
        (scrolled, "somebody scrolls or chooses something in the pane"),
        (typed_by_a_person, "the pane does not show the request right above the cursor"),
    ],
)
def test_a_request_that_is_only_shown_says_why(scene, lie, why):
    """The reason is known for as long as the request is open; a request with a card has none."""
    lie(scene)
    scene.look()
    assert [(each.session, each.place, each.why) for each in scene.prompts.obstacles] == [("flat-1", "work:0.0", why)]


def test_a_request_with_a_card_has_no_reason(scene):
    """What can be answered in Chorus is not listed as something to be answered in the pane."""
    scene.ask()
    assert len(scene.look()) == 1
    assert scene.prompts.obstacles == ()


CHANGES = [
    lambda scene, pane: scene.tmux.type(pane, "n"),
    lambda scene, pane: scene.tmux.run("send-keys", "-t", pane, "-l", "x"),
    lambda scene, pane: scene.tmux.run("copy-mode", "-t", pane),
]


@pytest.mark.parametrize("change", CHANGES)
def test_anything_that_changed_since_the_card_cancels(scene, change):
    """The person approves, but something was typed or scrolled in between: no key, and the row says so."""
    pane = scene.ask()
    (row,) = scene.look()
    before = scene.tmux.screen(pane)
    scene.person.allow(row)
    change(scene, pane)
    until(lambda: scene.tmux.screen(pane) != before or scene.tmux.ask(pane, "pane_in_mode") == "1")
    scene.follow()
    scene.step()
    assert scene.person.ledger.row(row.id).effect == "failed"
    assert "got y" not in scene.tmux.screen(pane)
