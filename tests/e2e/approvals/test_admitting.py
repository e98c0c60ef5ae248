"""Tests how a browser becomes an approver while an agent waits, each time on a machine of its own."""

import pytest
from playwright.sync_api import expect

from chorus.steer.approvals.approvers import load, pin
from chorus.steer.approvals.verdict import Verdict
from tests.cli.at_a_terminal import at_a_terminal
from tests.e2e.approvals.cards import APPROVE, approve, card, press, to_inbox
from tests.e2e.support import worlds
from tests.e2e.support.agents import KEPT, World
from tests.e2e.support.entering import log_in
from tests.e2e.support.opening import open_session, transcript
from tests.support.running import until

PASSPHRASE = "correct horse battery"
TYPED = [("New passphrase", PASSPHRASE), ("Once more", PASSPHRASE)]


@pytest.fixture
def serving(empty):
    """A server that started after one approver with a passphrase was added."""
    empty.write(*worlds.small())
    code, seen = at_a_terminal("approver", "add", "ada", "--vault", empty.vault, typed=TYPED)
    assert code == 0, seen
    empty.start()
    return empty


def test_a_browser_is_admitted_at_a_terminal_while_an_agent_waits(page, agent, serving, axe):
    """The card shows a command, an approver admits the browser with a passphrase, and the agent trusts its answer."""
    trusted = pin(agent.state)
    name = next(iter(serving.vault.glob(f"conversations/*/*/{worlds.AGENTS}.jsonl*")))
    conversation = "/".join([*name.parts[-3:-1], worlds.AGENTS])
    request = agent.ask("make install", session=worlds.AGENTS, conversation=conversation, agent="a1b2c3d4")
    to_inbox(page)
    shown = card(page, request)
    expect(shown.get_by_role("link", name="Which pilots speak Frisian?")).to_be_visible()
    expect(shown).to_contain_text("pilots")
    expect(shown).to_contain_text("general-purpose: Search the roster")
    expect(shown).not_to_contain_text("a1b2c3d4")
    expect(approve(page, request)).to_be_disabled()
    shown.get_by_role("button", name="Make this browser an approver").click()
    shown.get_by_label("Name of this browser").fill("Ada's phone")
    shown.get_by_role("button", name="Ask to be admitted").click()
    command = shown.get_by_role("note", name="Admit this browser").locator("code").first.inner_text()
    assert axe(page) == []

    words = command.split()
    assert words[:3] == ["chorus", "approver", "admit"]
    wrong = at_a_terminal(*words[1:], "--vault", serving.vault, typed=[("Passphrase of ada", "another passphrase")])
    assert wrong[0] == 2 and len(load(agent.state).valid) == 1
    unknown = at_a_terminal("approver", "admit", "0123 4567 89ab cdef", "--vault", serving.vault)
    assert unknown[0] == 2 and "no browser waits with this code" in unknown[1]
    code, seen = at_a_terminal(*words[1:], "--vault", serving.vault, typed=[("Passphrase of ada", PASSPHRASE)])
    assert code == 0 and "Ada's phone may approve now" in seen

    press(approve(page, request))
    expect(card(page, request)).to_contain_text("Approved by Ada's phone on the page")
    trusted.extend(load(agent.state))
    answer = agent.answered(request, trusted)
    assert isinstance(answer, Verdict) and answer.behaviour == "allow"


def test_an_agent_cannot_admit_a_browser(agent, serving):
    """The command that admits a browser is refused inside a run."""
    code, seen = at_a_terminal(
        "approver", "admit", "0123456789abcdef", "--vault", serving.vault, environment={"CHORUS_RUN": "1"}
    )
    assert code == 2 and "inside a supervised run" in seen


class TestRestart:
    """Tests an agent that started before there was any approver."""

    @pytest.fixture
    def world(self, tmp_path, built):
        made = World(tmp_path)
        made.serving.start()
        yield made
        made.clear()
        made.serving.kill()

    @pytest.fixture
    def serving(self, world):
        return world.serving

    def test_it_is_started_again_and_can_then_be_approved(self, opened, world, serving):
        """The card leads from "nobody can approve" to an approved request, in the same conversation."""
        page = opened
        log_in(page, serving)
        open_session(page, KEPT)
        field = page.get_by_label("Message to go on with")
        field.fill("ask for it")
        field.press("Enter")
        dock = page.get_by_role("region", name="Waiting for you")
        expect(dock.get_by_text("the agent began before anybody could approve")).to_be_visible()
        dock.get_by_role("button", name="Make this browser an approver").click()
        dock.get_by_label("Name of this browser").fill("Ada's laptop")
        dock.get_by_role("button", name="Make it an approver").click()
        expect(dock.get_by_role("button", name=APPROVE)).to_be_disabled()
        dock.get_by_role("button", name="Start the agent again").click()

        expect(transcript(page).get_by_text("You said: Go on with your work")).to_be_visible()
        again = page.get_by_label("Message to the agent")
        again.fill("ask for it")
        again.press("Enter")
        waiting = dock.locator("article").filter(has=page.get_by_role("button", name=APPROVE)).last
        press(waiting.get_by_role("button", name=APPROVE))
        expect(dock.get_by_text("Approved by Ada's laptop on the page").first).to_be_visible()
        until(lambda: world.noted("answers.jsonl"))
        assert world.noted("answers.jsonl")[-1]["behavior"] == "allow"
