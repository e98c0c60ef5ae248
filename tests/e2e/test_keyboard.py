"""Tests that everything works without a mouse, and that the focus is never lost."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import reading
from tests.e2e.support import worlds
from tests.e2e.support.opening import listed, open_session

serving = pytest.fixture(reading)
FOCUSED = """() => {
  const at = document.activeElement
  return at === null || at === document.body ? null : at.getAttribute('aria-label') ?? at.id ?? at.tagName
}"""

NEXT_KEY = """(dialog) => new MutationObserver((_, observer) => {
  observer.disconnect()
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'r' }))
}).observe(dialog, { attributeFilter: ['open'] })"""
"""Presses `r` as soon as a dialog is closed, before the browser reports that it closed."""


def has_focus(page: Page) -> bool:
    return page.evaluate(FOCUSED) is not None


def test_from_the_list_to_a_raw_record_and_back(page):
    """j, Enter, j, r and Escape lead from the list to a message's raw record and back, and the focus is kept."""
    expect(listed(page)).to_have_count(5)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Tide table: round half up")).to_be_visible()
    expect(page.locator("article").first).to_be_visible()
    page.keyboard.press("Home")
    page.keyboard.press("j")
    current = page.locator("article.current")
    expect(current).to_be_focused()
    page.keyboard.press("r")
    sheet = page.get_by_role("dialog", name="Raw record")
    expect(sheet).to_contain_text('"sessionId"')
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    expect(current).to_be_focused()

    page.keyboard.press("g")
    page.keyboard.press("c")
    expect(listed(page)).to_have_count(5)


@pytest.mark.parametrize(
    ("keys", "dialog"),
    [("?", "Help"), ("Control+k", "Jump to")],
)
def test_the_list_has_the_focus_back_after_a_dialog(page, keys, dialog):
    """After Escape closes the help or the palette, the row that had the focus has it again."""
    expect(listed(page)).to_have_count(5)
    page.keyboard.press("j")
    row = page.locator(f'[data-conversation$="{worlds.LIVE}"]')
    expect(row).to_be_focused()
    page.keyboard.press(keys)
    expect(page.get_by_role("dialog", name=dialog)).to_be_visible()
    page.keyboard.press("Escape")

    expect(page.get_by_role("dialog", name=dialog)).to_have_count(0)
    expect(row).to_be_focused()


def test_no_dialog_of_the_transcript_loses_the_focus(page):
    """Escape closes each dialog of the transcript that a key opened, and some element still has the focus."""
    open_session(page, worlds.EDITS)
    page.keyboard.press("Home")
    page.keyboard.press("j")
    expect(page.locator("article.current")).to_be_focused()
    for keys, dialog in (("?", "Keys"), ("Control+k", "Jump to"), ("r", "Raw record")):
        page.keyboard.press(keys)
        expect(page.get_by_role("dialog", name=dialog)).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog", name=dialog)).to_have_count(0)
        assert has_focus(page), f"the focus was lost after {dialog}"
    page.keyboard.press("/")
    expect(page.get_by_role("textbox", name="Find in conversation")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("textbox", name="Find in conversation")).to_have_count(0)
    assert has_focus(page), "the focus was lost after find"


def test_a_key_right_after_a_dialog_is_not_lost(page):
    """A press of `r` while Escape closes a raw record opens a raw record again."""
    open_session(page, worlds.EDITS)
    page.keyboard.press("Home")
    page.keyboard.press("j")
    page.keyboard.press("r")
    sheet = page.get_by_role("dialog", name="Raw record")
    expect(sheet).to_contain_text('"sessionId"')
    sheet.evaluate(NEXT_KEY)
    page.keyboard.press("Escape")
    page.evaluate("new Promise((done) => setTimeout(done))")
    expect(sheet).to_contain_text('"sessionId"')


def test_everything_is_reached_with_tab(page):
    """Tab moves from the skip link over the bar to the field and the list, and each stop is visibly focused."""
    expect(listed(page)).to_have_count(5)
    names = []
    for _ in range(14):
        page.keyboard.press("Tab")
        names.append(
            page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText")
        )
        look = page.evaluate(
            """() => {
              const at = document.activeElement, look = getComputedStyle(at)
              const own = look.outlineStyle !== 'none' || look.boxShadow !== 'none'
              const around = at.closest('div[class*=ring]') !== null
              return own || around
            }"""
        )
        assert look, f"nothing shows that {names[-1]!r} has the focus"

    assert names[0] == "Skip to content"
    reached = " ".join(map(str, names))
    for wanted in ("Conversations", "Search", "Jump to", "Theme", "Help", "Filter conversations"):
        assert re.search(wanted, reached), f"{wanted} is not reached: {names}"
