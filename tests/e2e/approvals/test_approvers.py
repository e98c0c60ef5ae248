"""Tests which browsers may approve: the first that asks, and those that it admits. Each test has its own machine."""

import pytest
from playwright.sync_api import expect

from chorus.steer.approvals.approvers import load, pin
from chorus.steer.approvals.verdict import Verdict
from tests.e2e.approvals.cards import approve, become_approver, card, press, to_inbox
from tests.e2e.support.entering import log_in

KEPT_KEY = """async () => {
  const opened = await new Promise((resolve, reject) => {
    const opening = indexedDB.open('chorus', 1)
    opening.onsuccess = () => resolve(opening.result)
    opening.onerror = () => reject(opening.error)
  })
  const kept = await new Promise((resolve) => {
    const asked = opened.transaction('keys').objectStore('keys').get('approver')
    asked.onsuccess = () => resolve(asked.result)
  })
  opened.close()
  const tried = await crypto.subtle.exportKey('jwk', kept.privateKey).catch((error) => error.name)
  return { extractable: kept.privateKey.extractable, usages: kept.privateKey.usages, tried }
}"""


@pytest.fixture
def serving(fresh):
    return fresh


def test_the_first_browser_becomes_an_approver(page, agent):
    """The key of the first approver cannot be exported, and the agent's own check accepts its approval."""
    become_approver(page)
    trusted = pin(agent.state)
    request = agent.ask("make -C lights install")
    press(approve(page, request))

    expect(card(page, request)).to_contain_text("Approved by Ada's laptop on the page")
    answer = agent.answered(request, trusted)
    assert isinstance(answer, Verdict)
    assert (answer.behaviour, answer.input, answer.suggestions) == ("allow", None, ())
    assert list(load(agent.state).valid) == [answer.approver]
    kept = page.evaluate(KEPT_KEY)
    assert kept == {"extractable": False, "usages": ["sign"], "tried": "InvalidAccessError"}


def test_a_second_browser_waits_until_it_is_admitted(page, contexts, serving, agent):
    """A second browser can deny at once. It can approve only from its admission by the first browser to its removal."""
    become_approver(page)
    trusted = pin(agent.state)
    other = contexts.make().new_page()
    log_in(other, serving)
    to_inbox(other)
    other.get_by_label("Name of this browser").fill('Ben\'s "phone" \U0001f4f1')
    other.get_by_role("button", name="Ask to be admitted").click()
    expect(other.get_by_text("Admit this browser in a browser that may approve").first).to_be_visible()
    code = other.get_by_role("listitem").filter(has_text="this browser").locator("code").first.inner_text()
    request = agent.ask("make install")
    expect(approve(other, request)).to_be_disabled()
    expect(card(other, request)).to_contain_text("This browser waits to be admitted")

    page.get_by_role("button", name="Admit Ben").click()
    expect(page.get_by_text("only if that browser shows this code")).to_contain_text(code)
    page.get_by_role("button", name="Admit it").click()
    expect(page.get_by_role("button", name="Remove Ben")).to_be_visible()
    expect(approve(other, request)).to_be_enabled()
    press(approve(other, request))
    expect(card(page, request)).to_contain_text("Approved by Ben")
    trusted.extend(load(agent.state))
    answer = agent.answered(request, trusted)
    assert isinstance(answer, Verdict)
    assert answer.behaviour == "allow"

    page.get_by_role("button", name="Remove Ben").click()
    page.get_by_role("button", name="Remove it").click()
    expect(other.get_by_role("heading", name="Make this browser an approver")).to_be_visible()
    late = agent.ask("make uninstall")
    expect(approve(other, late)).to_be_disabled()
    expect(approve(page, late)).to_be_enabled()


def test_what_was_decided_stays_to_be_seen(page, agent):
    """The inbox lists settled requests, the newest first, and one click shows what was asked."""
    to_inbox(page)
    first, second = agent.ask("echo first"), agent.ask("echo second")
    expect(card(page, second)).to_be_visible()
    agent.deny_elsewhere(first, "not now")
    agent.ledger.withdraw(second.id, "over")
    expect(card(page, second)).to_contain_text("Withdrawn")
    page.get_by_role("link", name="Search").click()
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Approvals").click()

    lines = page.get_by_role("region", name="Settled").get_by_role("listitem")
    expect(lines).to_have_count(2)
    expect(lines.nth(0)).to_contain_text("echo second")
    expect(lines.nth(1)).to_contain_text("Denied in the terminal, after")
    expect(lines.nth(1)).to_contain_text("not now")
    lines.nth(1).get_by_role("button", name="What was asked").click()
    expect(lines.nth(1).get_by_role("group", name="Command")).to_contain_text("echo first")
