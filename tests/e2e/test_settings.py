"""Tests the settings page, what it changes in this browser, and the list of keys."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import reading
from tests.e2e.support import worlds
from tests.e2e.support.opening import listed, open_session, transcript
from tests.e2e.support.phone import fits, phone

serving = pytest.fixture(reading)

PARTS = [
    *(
        "This browser",
        "Notifications",
        "Watched folders",
        "Approvers",
        "Devices",
        "Hooks",
        "Prices",
        "Keyboard shortcuts",
    ),
    "About Chorus",
]
HTML = "document.documentElement"
IS_WHOLE = """row => {
  const end = row.getBoundingClientRect().bottom + 1
  return [...row.children].every(part => part.getBoundingClientRect().bottom <= end)
}"""
"""Whether no part of a row is cut."""


def to_settings(page: Page) -> None:
    page.get_by_role("button", name="Settings").click()
    expect(page.get_by_role("heading", name="Settings", exact=True)).to_be_visible()
    expect(page.get_by_role("region", name="Devices")).to_be_visible()


def test_every_part_is_there(page: Page, serving, axe):
    """The page shows choices, folders, approvers, devices, hooks, prices and versions, with commands to copy."""
    expect(listed(page).first).to_be_visible()
    page.keyboard.press(",")
    for part in PARTS:
        expect(page.get_by_role("region", name=part, exact=True)).to_be_visible()
    expect(page.get_by_role("region", name="Watched folders")).to_contain_text(str(serving.claude))
    expect(page.get_by_role("region", name="Watched folders")).to_contain_text("deletes sessions after 30 days")
    expect(page.get_by_role("region", name="Devices")).to_contain_text("This browser")
    expect(page.get_by_role("region", name="Hooks")).to_contain_text("not installed")
    commands = page.locator("main code")
    for command in ("chorus hooks install", "chorus approver add", "chorus open", "chorus doctor"):
        expect(commands.filter(has_text=command).first).to_be_visible()
    assert axe(page) == []


def test_each_part_is_found_from_the_top(page: Page):
    """Links at the top lead to every part; the workspaces of the notifications, maybe hundreds, are folded."""
    to_settings(page)
    links = page.get_by_role("navigation", name="Parts of the settings").get_by_role("button")
    assert links.all_inner_texts() == PARTS
    for part in ("About Chorus", "Hooks"):
        links.filter(has_text=part).click()
        heading = page.get_by_role("region", name=part, exact=True).get_by_role("heading")
        expect(heading).to_be_in_viewport()
        expect(heading).to_be_focused()
        expect(page.get_by_role("link", name="Conversations").first).to_be_in_viewport(ratio=1)
    notifications = page.get_by_role("region", name="Notifications")
    ticks = notifications.get_by_role("group", name="Workspaces").get_by_role("checkbox")
    expect(ticks.first).to_be_hidden()
    notifications.get_by_text(re.compile(r"In all \d+ workspaces?")).click()
    ticks.first.click()
    expect(notifications.get_by_text(re.compile(r"In \d+ of \d+ workspaces?"))).to_be_visible()
    ticks.first.click()
    expect(notifications.get_by_text(re.compile("In all "))).to_be_visible()


def test_choices_hold_in_this_browser_and_after_a_reload(page: Page):
    """Theme, text size, density and time format change the page at once, and are the same after a reload."""
    to_settings(page)
    page.get_by_role("group", name="Theme").get_by_role("button", name="Dark").click()
    page.get_by_role("group", name="Text size").get_by_role("button", name="Large", exact=True).click()
    page.get_by_role("group", name="Density").get_by_role("button", name="Compact").click()
    page.get_by_role("group", name="Time format").get_by_role("button", name="12 hours").click()
    for _ in range(2):
        expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        expect(page.locator("html")).to_have_attribute("data-density", "compact")
        assert page.evaluate(f"getComputedStyle({HTML}).fontSize") == "18px"
        page.reload()
    open_session(page, worlds.EDITS)
    expect(transcript(page).locator("time").first).to_have_text(re.compile(r"\d [AP]M$", re.IGNORECASE))

    page.goto("/settings")
    page.get_by_role("group", name="Text size").get_by_role("button", name="Normal").click()
    expect(page.locator("html")).not_to_have_attribute("data-text", "large")


def test_compact_lists_and_tables_show_more_rows(page: Page, axe):
    """With the compact density, rows of the list, of hits and of tables are lower than before, and none is cut."""

    def heights() -> list[float]:
        found = []
        for address, row in (
            ("/", "[data-conversation]"),
            ("/", ".virtual-row h2"),
            ("/search?q=tide", "[data-hit]"),
            ("/search?q=tide", "aside button"),
            (f"/c/{name}", ".prose td"),
        ):
            page.goto(address)
            expect(page.locator(row).first).to_be_visible()
            assert page.locator(row).first.evaluate(IS_WHOLE), (address, row)
            found.append(page.locator(row).first.evaluate("each => each.getBoundingClientRect().height"))
        return found

    page.set_viewport_size({"width": 1500, "height": 900})
    name = page.locator(f'[data-conversation$="{worlds.EDITS}"]').get_attribute("data-conversation")
    before = heights()
    page.goto("/settings")
    page.get_by_role("group", name="Density").get_by_role("button", name="Compact").click()
    after = heights()
    assert all(low < high for low, high in zip(after, before, strict=True)), (before, after)
    for address in ("/", "/search?q=tide"):
        page.goto(address)
        expect(page.locator("[data-conversation], [data-hit]").first).to_be_visible()
        assert axe(page) == []


def test_thinking_is_open_for_who_chose_that(page: Page):
    """With the setting for it, a transcript opens with its thinking unfolded; otherwise thinking is folded."""
    open_session(page, worlds.LIVE)
    thought = transcript(page).get_by_text("one place decides")
    expect(transcript(page).locator("article").first).to_be_visible()
    folded = thought.count()
    page.goto("/settings")
    page.get_by_label("Thinking, opened").check()
    open_session(page, worlds.LIVE)
    expect(transcript(page).locator(".thinking").first).to_contain_text("The timer is shared, so one place decides.")
    assert folded <= thought.count()


def test_the_keys_are_one_list(page: Page):
    """The help names all keys of the settings page, and the key that starts an agent also works in a transcript."""
    to_settings(page)
    named = page.get_by_role("region", name="Keyboard shortcuts").locator("dd").all_inner_texts()
    page.keyboard.press("?")
    helped = page.get_by_role("dialog", name="Help").locator("dd").all_inner_texts()
    assert set(named) <= set(helped)
    page.keyboard.press("Escape")
    open_session(page, worlds.EDITS)
    page.keyboard.press("c")
    expect(page.get_by_role("heading", name="Start an agent")).to_be_visible()


class TestPhone:
    """Tests a narrow screen."""

    @pytest.fixture
    def settings(self):
        return phone("dark")

    def test_settings_fit(self, page: Page, axe):
        """Nothing is wider than the screen, and a tap opens the settings page."""
        page.get_by_role("button", name="Settings").tap()
        expect(page.get_by_role("region", name="Devices")).to_be_visible()
        fits(page)
        assert axe(page) == []
