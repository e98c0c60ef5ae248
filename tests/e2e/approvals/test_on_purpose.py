"""Tests C12: a request is approved only on purpose, by a person who could read this request."""

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.approvals.cards import allowed, approve, card, put_away, to_inbox

NOTE_CLICKS = """() => {
  window.clicks = []
  window.addEventListener('click', (event) => window.clicks.push(event.timeStamp), { capture: true })
}"""
UNDER = """([x, y, label]) => {
  const button = document.elementFromPoint(x, y)?.closest('button')
  if (button?.innerText.trim() !== label) return false
  window.cameAt = performance.now()
  return true
}"""
OFTEN = pytest.mark.parametrize("times", [4, pytest.param(50, marks=pytest.mark.long)])
SOON_MS = 400
"""A click so soon after a card came under the pointer must decide nothing."""


@pytest.fixture
def person(contexts, laptop):
    return contexts.join(laptop)


@OFTEN
def test_a_card_that_slides_under_the_pointer_decides_nothing(page, agent, times):
    """A click on a card that moved under the pointer a moment ago decides nothing, and a later click does."""
    to_inbox(page)
    measured = agent.ask("true first")
    expect(card(page, measured)).to_be_visible()
    agent.ledger.withdraw(measured.id, "over")
    expect(card(page, measured)).to_contain_text("Withdrawn")
    low = height(card(page, measured))
    put_away(page)
    page.evaluate(NOTE_CLICKS)
    struck = 0
    for _ in range(times):
        first, second = agent.ask("true first"), agent.ask("true second")
        button = card(page, second).get_by_role("button", name="Deny", exact=True)
        expect(button).to_be_enabled()
        gone = height(card(page, first)) - low
        at = center(button)
        place = (at[0], at[1] - gone)
        page.mouse.move(*place)
        agent.ledger.withdraw(first.id, "over")
        page.wait_for_function(UNDER, arg=[*place, "Deny"], polling="raf")
        page.mouse.click(*place)
        page.mouse.click(*place, click_count=2)
        soon = page.evaluate("window.clicks.at(-1) - window.cameAt")
        if soon < SOON_MS:
            struck += 1
            assert agent.row(second).is_pending
        agent.ledger.withdraw(second.id, "over")
        expect(card(page, second)).to_contain_text("Withdrawn")
        put_away(page)
    assert struck > 0, "the machine was too slow to strike in time"

    last = agent.ask("true last")
    expect(card(page, last).get_by_role("button", name="Deny", exact=True)).to_be_enabled()
    page.mouse.click(*center(card(page, last).get_by_role("button", name="Deny", exact=True)))
    expect(card(page, last)).to_contain_text("Denied")


@OFTEN
def test_a_card_that_appears_under_the_pointer_decides_nothing(page, agent, times):
    """A card that appears under the pointer of a person who is clicking is not decided by those clicks."""
    to_inbox(page)
    first = agent.ask()
    expect(approve(page, first)).to_be_enabled()
    place = center(approve(page, first))
    agent.ledger.withdraw(first.id, "over")
    expect(card(page, first)).to_contain_text("Withdrawn")
    put_away(page)
    page.evaluate(NOTE_CLICKS)
    struck = 0
    for _ in range(times):
        request = agent.ask()
        page.wait_for_function(UNDER, arg=[*place, "Approve"], polling="raf")
        page.mouse.click(*place)
        if page.evaluate("window.clicks.at(-1) - window.cameAt") < SOON_MS:
            struck += 1
            assert agent.row(request).is_pending
        agent.ledger.withdraw(request.id, "over")
        expect(card(page, request)).to_contain_text(re.compile("Withdrawn|Approved"))
        put_away(page)
    assert struck > 0, "the machine was too slow to strike in time"


def test_a_double_click_decides_once(page, agent):
    """Two quick clicks on the first of two cards decide only that card."""
    to_inbox(page)
    first, second = agent.ask("true first"), agent.ask("true second")
    expect(approve(page, first)).to_be_enabled()
    page.mouse.dblclick(*center(approve(page, first)))

    expect(card(page, first)).to_contain_text("Approved")
    allowed(agent, first)
    assert agent.row(second).is_pending


def test_a_key_that_is_held_down_decides_nothing(page, agent):
    """Keys reach every answer; a key that was already down decides nothing, and a new press of it does."""
    to_inbox(page)
    request = agent.ask()
    expect(approve(page, request)).to_be_enabled()
    for key in ("Enter", "Space"):
        page.evaluate("document.activeElement.blur()")
        page.keyboard.down(key)
        approve(page, request).focus()
        page.keyboard.down(key)
        page.keyboard.down(key)
        page.keyboard.up(key)
    assert agent.row(request).is_pending

    card(page, request).get_by_role("button", name="Edit input").focus()
    for _ in range(3):
        page.keyboard.press("Shift+Tab")
    expect(approve(page, request)).to_be_focused()
    expect(approve(page, request)).to_be_enabled()
    page.keyboard.press("Enter")
    expect(card(page, request)).to_contain_text("Approved")
    expect(card(page, request)).to_be_focused()
    allowed(agent, request)


def test_a_long_command_is_read_to_its_end(page, agent):
    """Approve is disabled until the last line of a command was visible, and until all omitted lines are shown."""
    to_inbox(page)
    many = "\n".join(f"echo {number} > /dev/null" for number in range(2500)) + "\nrm -rf /home/dev"
    request = agent.ask(many)
    expect(card(page, request)).to_contain_text("Not all of it is shown")
    expect(approve(page, request)).to_be_disabled()
    approve(page, request).scroll_into_view_if_needed()
    page.wait_for_timeout(700)
    expect(approve(page, request)).to_be_disabled()
    card(page, request).get_by_role("button", name="more lines").click()
    expect(card(page, request)).to_contain_text("rm -rf /home/dev")
    approve(page, request).scroll_into_view_if_needed()
    expect(approve(page, request)).to_be_enabled()

    page.locator(".approvals-page").evaluate("box => box.scrollTo(0, 0)")
    tall = agent.ask("\n".join(f"echo {number}" for number in range(300)))
    agent.ledger.withdraw(request.id, "over")
    expect(card(page, request)).to_contain_text("Withdrawn")
    expect(card(page, tall)).to_contain_text("Read to the end to approve it.")
    expect(approve(page, tall)).to_be_disabled()
    approve(page, tall).scroll_into_view_if_needed()
    expect(approve(page, tall)).to_be_enabled()


def center(button: Locator) -> tuple[float, float]:
    box = button.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def height(box: Locator) -> float:
    found = box.bounding_box()
    assert found is not None
    return found["height"]
