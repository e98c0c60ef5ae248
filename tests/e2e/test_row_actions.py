"""Tests the actions of a row, and that labels are not cut, on a wide screen and on a phone."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import reading
from tests.e2e.support import worlds
from tests.e2e.support.entering import log_in
from tests.e2e.support.opening import open_session, transcript
from tests.e2e.support.phone import phone

serving = pytest.fixture(reading)

COVERED = """(box) => {
  const found = []
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.data.trim() || node.parentElement.closest('.row-actions, .sr-only')) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    for (const each of range.getClientRects()) {
      const isBeside = each.right <= box.x || each.left >= box.x + box.width
      const isAboveOrBelow = each.bottom <= box.y || each.top >= box.y + box.height
      if (!isBeside && !isAboveOrBelow && each.width > 1) found.push(node.data.trim().slice(0, 40))
    }
  }
  return found
}"""
"""The texts that a box lies over."""
WIDER = """() => [...document.querySelectorAll('main *')]
  .filter((each) => each.matches('.message-scroller') && each.scrollWidth > each.clientWidth)
  .map((each) => each.className)"""
"""The list, if it can be scrolled to the side."""
CUT = """() => [...document.querySelectorAll('main span[class*="h-[1.125rem]"]')]
  .filter((each) => each.getClientRects().length > 0 && each.scrollWidth > each.clientWidth + 1)
  .map((each) => each.innerText)"""
"""Marks that are not shown whole."""
CLOSED_AND_PRESSED = """async (menu) => {
  const button = menu.parentElement.querySelector('[aria-haspopup]')
  menu.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))
  for (let turns = 0; turns < 9; turns += 1) await null
  button.click()
}"""
"""Closes a menu and presses its button, before the browser reports that the menu was hidden."""


@pytest.mark.parametrize("session", [worlds.EDITS, worlds.AGENTS, worlds.FAILED])
def test_the_actions_of_a_row_cover_no_text_and_have_labels(page: Page, session: str):
    """The button of every row is in the margin, covers no text, and opens a list in which each action has a name."""
    open_session(page, session)
    page.keyboard.press("Home")
    rows = transcript(page).locator("article")
    for number in range(min(rows.count(), 6)):
        row = rows.nth(number)
        row.hover(position={"x": 5, "y": 5})
        button = row.locator(":scope > .row-actions").get_by_role("button", name="Actions")
        box = button.bounding_box()
        assert box is not None
        assert page.evaluate(COVERED, box) == []
        button.click()
        items = row.get_by_role("group", name="Actions").get_by_role("button")
        expect(items.first).to_be_visible()
        assert all(words.strip() for words in items.all_inner_texts())
        assert {"Copy link", "Copy as text"} <= {words.split("\n")[0] for words in items.all_inner_texts()}
        page.keyboard.press("Escape")
        expect(items).to_have_count(0)


def test_a_menu_that_was_just_closed_opens_again(page: Page):
    """A press of the button while Escape closes its menu opens the menu again."""
    open_session(page, worlds.EDITS)
    row = transcript(page).locator("article").last
    row.hover()
    row.get_by_role("button", name="Actions").click()
    menu = row.get_by_role("group", name="Actions")
    expect(menu).to_be_visible()
    menu.evaluate(CLOSED_AND_PRESSED)
    page.evaluate("new Promise((done) => setTimeout(done))")
    expect(menu).to_be_visible()


class TestPhone:
    """Tests a narrow screen."""

    @pytest.fixture
    def settings(self):
        return phone("light")

    @pytest.mark.parametrize("session", [worlds.EDITS, worlds.AGENTS, worlds.FAILED, worlds.LIVE])
    def test_marks_are_not_cut(self, page: Page, session: str):
        """Labels that do not fit in a line continue in the next one."""
        open_session(page, session)
        expect(transcript(page).locator("article").first).to_be_visible()
        assert page.evaluate(CUT) == []
        row = transcript(page).locator("[data-row]").last
        row.tap(position={"x": 5, "y": 5})
        button = row.locator(":scope > .row-actions").get_by_role("button", name="Actions")
        box = button.bounding_box()
        assert box is not None
        assert page.evaluate(COVERED, box) == []
        assert page.evaluate(WIDER) == []


def test_the_welcome_leaves_by_itself(opened: Page, serving):
    """The welcome appears on the first visit, disappears after a while, and does not come back."""
    page = opened
    page.clock.install()
    log_in(page, serving)
    welcome = page.get_by_role("complementary", name="Welcome")
    expect(welcome).to_contain_text("deletes sessions after 30 days (its default)")
    page.clock.run_for(21_000)
    expect(welcome).to_have_count(0)
    page.reload()
    page.clock.run_for(1_000)
    expect(page.get_by_role("link", name="Tide table")).to_be_visible()
    expect(welcome).to_have_count(0)


def test_tools_are_completed_by_their_names(page: Page):
    """The completions of `tool:` are the names of tools, and none is empty."""
    page.get_by_role("link", name="Search").click()
    field = page.get_by_role("combobox", name="Search")
    field.fill("tool:")
    options = page.get_by_role("option")
    expect(options.filter(has_text="Bash")).to_be_visible()
    assert not any('""' in each for each in options.all_inner_texts())
