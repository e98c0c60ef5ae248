"""Tests the list of conversations: what each line shows, how it is filtered, and how keys move in it."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import reading
from tests.e2e.support import worlds
from tests.e2e.support.opening import listed

serving = pytest.fixture(reading)


def row(page: Page, session_id: str):
    return page.locator(f'[data-conversation$="{session_id}"]')


def test_a_line_says_what_a_conversation_is(page):
    """Each line shows title, folder, branch, model, cost and age, and what the conversation is doing."""
    expect(listed(page)).to_have_count(5)
    edits, failed, work = (row(page, each) for each in (worlds.EDITS, worlds.FAILED, worlds.LIVE))

    for words in (
        "Tide table: round half up",
        "harbour",
        "tide-table",
        "Sonnet 4.5",
        re.compile(r"\$0\.\d\d"),
        re.compile("[23]h"),
    ):
        expect(edits).to_contain_text(words)
    expect(edits).to_contain_text("Done")
    expect(failed).to_contain_text("Failed")
    expect(failed).to_contain_text("Send the roster to the coast guard.")
    expect(failed).to_contain_text(re.compile("[12]d"))
    expect(work).to_contain_text("Running")


def test_who_is_at_work_stands_first(page):
    """The list has sections: conversations at work come first, then the others by day, the newest first."""
    expect(page.get_by_role("heading", name=re.compile("^At work"))).to_be_visible()
    expect(page.get_by_role("heading", name="Yesterday")).to_be_visible()
    order = [each.get_attribute("data-conversation") or "" for each in listed(page).all()]

    ids = [name.rsplit("/", 1)[-1] for name in order]
    assert ids == [worlds.LIVE, worlds.EDITS, worlds.AGENTS, worlds.FAILED, worlds.LONG]


def test_the_filter_asks_in_the_query_language_and_stays_in_the_address(page):
    """A filter narrows the list and is part of the address, so that it survives a reload and the back button."""
    field = page.get_by_role("combobox", name="Filter conversations")
    field.fill("branch:radio")
    expect(listed(page)).to_have_count(1)
    expect(row(page, worlds.FAILED)).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?q=branch(:|%3A)radio"))
    page.reload()
    expect(field).to_have_value("branch:radio")
    expect(listed(page)).to_have_count(1)

    row(page, worlds.FAILED).click()
    expect(page).to_have_url(re.compile("/c/"))
    page.go_back()
    expect(field).to_have_value("branch:radio")
    expect(listed(page)).to_have_count(1)
    page.get_by_role("button", name="Clear").click()
    expect(listed(page)).to_have_count(5)


def test_a_filter_that_finds_nothing_says_so(page):
    """If nothing matches, the page says so and offers to clear the filter."""
    page.goto("/?q=zeppelin")
    expect(page.get_by_role("heading", name="No conversation matches")).to_be_visible()
    page.get_by_role("button", name="Clear the filter").click()

    expect(listed(page)).to_have_count(5)


def test_the_filter_completes_by_keyboard(page):
    """The filter completes fields with Tab and values from the data with Enter."""
    expect(listed(page)).to_have_count(5)
    page.keyboard.press("/")
    field = page.get_by_role("combobox", name="Filter conversations")
    expect(field).to_be_focused()
    page.keyboard.type("too")
    options = page.get_by_role("listbox", name="Suggestions").get_by_role("option")
    expect(options.first).to_contain_text("tool:")
    page.keyboard.press("Tab")
    expect(field).to_have_value("tool:")
    page.keyboard.type("Ed")
    expect(options.first).to_contain_text("Edit")
    page.keyboard.press("ArrowDown")
    expect(options.first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(field).to_have_value(re.compile("^tool:Edit"))

    expect(listed(page)).to_have_count(1)
    expect(row(page, worlds.EDITS)).to_be_visible()


def test_a_wrong_query_is_explained_in_place(page, watch):
    """The fault of a query is shown below the field, its place is underlined, and the list does not change."""
    watch.expect("400")
    expect(listed(page)).to_have_count(5)
    field = page.get_by_role("combobox", name="Filter conversations")
    field.fill('tide "open')

    expect(field).to_have_attribute("aria-invalid", "true")
    said = page.locator(f'[id="{field.get_attribute("aria-describedby")}"]')
    expect(said).to_contain_text(re.compile("quot|close|end", re.IGNORECASE))
    expect(page.locator(".decoration-wavy").first).to_have_count(1)
    expect(listed(page).first).to_be_visible()


def test_a_wrong_query_in_the_address_is_reported_once(page, watch):
    """The fault of a query in the address is shown once, below the field, and the query can be cleared."""
    watch.expect("400")
    page.goto("/?q=%22open")
    field = page.get_by_role("combobox", name="Filter conversations")
    expect(field).to_have_attribute("aria-invalid", "true")
    said = page.locator(f'[id="{field.get_attribute("aria-describedby")}"]')
    expect(said).not_to_be_empty()
    expect(page.get_by_text(said.inner_text())).to_have_count(1)
    page.get_by_role("button", name="Clear the filter").click()

    expect(listed(page)).to_have_count(5)


def test_there_is_no_empty_line_below_the_filter(page):
    """The list begins directly below the field, whether something is typed or not."""
    expect(listed(page)).to_have_count(5)
    field = page.get_by_role("combobox", name="Filter conversations")
    bar = field.locator("xpath=ancestor::div[contains(@class, 'border-b')][1]")
    height = (bar.bounding_box() or {})["height"]
    field.fill("tide")
    expect(listed(page)).to_have_count(1)

    assert (bar.bounding_box() or {})["height"] == height


def test_the_keyboard_walks_the_list(page):
    """j and k choose a line, Enter opens it, back returns to the same line, and End and Home go to the ends."""
    expect(listed(page)).to_have_count(5)
    page.keyboard.press("j")
    expect(row(page, worlds.LIVE)).to_be_focused()
    page.keyboard.press("j")
    expect(row(page, worlds.EDITS)).to_be_focused()
    page.keyboard.press("End")
    expect(row(page, worlds.LONG)).to_be_focused()
    page.keyboard.press("Home")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(row(page, worlds.LIVE)).to_be_focused()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Tide table: round half up")).to_be_visible()
    page.go_back()

    expect(listed(page)).to_have_count(5)
    page.keyboard.press("j")
    expect(row(page, worlds.AGENTS)).to_be_focused()


def test_help_tells_keys_and_queries(page):
    """? opens the help with the keys, its other half explains the query language, and Escape closes it."""
    expect(listed(page)).to_have_count(5)
    page.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Help")
    expect(sheet).to_contain_text("jump to a conversation or a page")
    sheet.get_by_text("Queries", exact=True).click()
    expect(sheet).to_contain_text("tool:Edit,Write")
    page.keyboard.press("Escape")

    expect(sheet).to_have_count(0)


def test_the_palette_jumps(page):
    """Ctrl+K finds conversations and pages by a few letters, Enter opens them, and other text can be searched."""
    expect(listed(page)).to_have_count(5)
    page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Jump to")
    expect(palette.get_by_role("combobox")).to_be_focused()
    page.keyboard.type("roster")
    expect(palette.get_by_role("option").first).to_contain_text("Send the roster to the coast guard.")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Send the roster to the coast guard.")).to_be_visible()
    expect(palette).to_have_count(0)

    page.keyboard.press("Control+k")
    page.keyboard.type("zeppelin")
    expect(palette.get_by_role("option", name=re.compile("Search everything for zeppelin"))).to_be_visible()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/search\?q=zeppelin"))
