"""Opens the cards of permission requests in tests, and answers them as a person does."""

import re

from playwright.sync_api import Locator, Page, expect

from chorus.steer.approvals.model import Request
from chorus.steer.approvals.verdict import Verdict
from tests.e2e.support.asking import Agent

RULE = {
    "type": "addRules",
    "rules": [{"toolName": "Bash", "ruleContent": "rm:*"}],
    "behavior": "allow",
    "destination": "localSettings",
}
ANYTHING = {"type": "setMode", "mode": "bypassPermissions", "destination": "session"}
APPROVE = re.compile(r"^Approve( |$)")
STILL_MS = 600
"""After so long a card that does not move takes an answer."""


def to_inbox(page: Page) -> None:
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Approvals").click()
    expect(page.get_by_role("heading", name="Who may approve")).to_be_visible()


def card(page: Page, request: Request) -> Locator:
    return page.locator(f'[data-approval="{request.id}"]')


def approve(page: Page, request: Request) -> Locator:
    return card(page, request).get_by_role("button", name=APPROVE)


def become_approver(page: Page, name: str = "Ada's laptop") -> None:
    """Makes the browser of `page` an approver; the first browser that asks is admitted at once."""
    to_inbox(page)
    page.get_by_label("Name of this browser").fill(name)
    page.get_by_role("button", name="Make it an approver").click()
    expect(page.get_by_text("this browser", exact=True)).to_be_visible()


def press(button: Locator) -> None:
    """Presses a button as a person does who reads to the end first.

    A button takes no press right after it was scrolled into view, so this waits.
    """
    end = button.locator("xpath=ancestor::*[@data-approval]").locator(".approval-end")
    if end.count():
        # Not only to the edge: on a small screen the answers cover it.
        end.evaluate("end => end.scrollIntoView({ block: 'center' })")
        button.page.wait_for_timeout(100)
    button.scroll_into_view_if_needed()
    button.page.wait_for_timeout(STILL_MS)
    expect(button).to_be_enabled()
    button.click()


def put_away(page: Page) -> None:
    while page.get_by_role("button", name="Dismiss").count() > 0:
        page.get_by_role("button", name="Dismiss").first.click()


def allowed(agent: Agent, request: Request) -> Verdict:
    answer = agent.answered(request)
    assert isinstance(answer, Verdict), answer
    assert answer.behaviour == "allow"
    return answer
