"""Tests permission requests on a phone, in both themes."""

import pytest
from playwright.sync_api import expect

from tests.e2e.approvals.cards import ANYTHING, RULE, approve, become_approver, card, press
from tests.e2e.support import worlds
from tests.e2e.support.opening import name_of, open_session
from tests.e2e.support.phone import fits, phone


@pytest.fixture
def serving(fresh):
    return fresh


@pytest.fixture(params=["light", "dark"])
def settings(request):
    return phone(request.param)


def test_cards_fit_and_are_accessible(page, agent, axe):
    """The inbox and the cards below a transcript fit 360 points, take taps, and have no findings of axe."""
    name = name_of(page, worlds.EDITS)
    become_approver(page)
    long = "x" * 300
    request = agent.ask(f"rm -rf {long}", conversation=name, waits_s=540, suggestions=(RULE, ANYTHING), agent=long)
    edit = agent.ask(
        tool="Edit", given={"file_path": f"/{long}.py", "old_string": "a\n" * 3, "new_string": f"{long}\n"}
    )
    expect(card(page, edit)).to_be_visible()
    fits(page)
    card(page, request).get_by_role("button", name="Edit input").tap()
    card(page, request).get_by_role("button", name="Whole input").tap()
    card(page, edit).get_by_role("button", name="Deny with a message").tap()
    fits(page)
    assert axe(page) == []
    press(card(page, edit).get_by_role("button", name="Deny and tell the agent"))
    expect(card(page, edit)).to_contain_text("Denied")

    open_session(page, worlds.EDITS)
    expect(page.get_by_role("region", name="Waiting for you")).to_be_visible()
    fits(page)
    assert axe(page) == []
    press(approve(page, request))
    expect(page.get_by_role("region", name="Waiting for you")).to_contain_text("Approved")
