"""Tests the page of rules: a rule is tried on history, switched on by an approver, and removed."""

import pytest
from playwright.sync_api import expect

from chorus.steer.approvals.approvers import pin
from chorus.steer.approvals.rules.rule_book import RuleBook
from tests.e2e.approvals.cards import become_approver

RULE = 'allow command:"ls *"'


@pytest.fixture
def serving(fresh):
    return fresh


def test_a_rule_is_tried_switched_on_and_removed(page, agent):
    """An approver sees what the rule would have decided, switches it on, and from then on it answers until removed."""
    become_approver(page)
    book = RuleBook(agent.state, pin(agent.state))
    page.get_by_role("link", name="Rules that answer in your place").click()
    page.get_by_label("Try a rule on what was recorded").fill(RULE)
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_role("status").filter(has_text="recorded request")).to_be_visible()

    page.get_by_role("button", name="Switch it on").click()

    line = page.get_by_role("listitem").filter(has_text=RULE)
    expect(line).to_contain_text("Ada's laptop")
    request = agent.ask("ls -l")
    assert book.decide(request) is not None
    line.get_by_role("button", name="Remove").click()
    page.get_by_role("button", name="Remove it").click()
    expect(line).to_have_count(0)
    assert book.decide(request) is None
