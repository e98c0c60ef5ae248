"""Tests that on a phone, in both themes, nothing is wider than the screen and every control can be reached."""

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import reading
from tests.e2e.support import worlds
from tests.e2e.support.opening import listed, open_session, transcript
from tests.e2e.support.phone import PHONE, fits, phone, to_list

serving = pytest.fixture(reading)


@pytest.fixture(params=["light", "dark"])
def settings(request):
    return phone(request.param)


def test_pages_fit_a_phone(page):
    """List, search, transcript and their sheets fit in 360 points, and every control of the bar can be tapped."""
    to_list(page)
    expect(listed(page)).to_have_count(5)
    fits(page)
    for name in ("Jump to", "Help", "Theme"):
        expect(page.get_by_role("button", name=name).first).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="Help", exact=True).tap()
    expect(page.get_by_role("dialog", name="Help")).to_be_in_viewport(ratio=1)
    fits(page)
    page.get_by_role("dialog", name="Help").get_by_role("button", name="Close").tap()

    page.goto("/search?q=the")
    expect(page.get_by_role("region", name="Hits").get_by_role("link").first).to_be_visible()
    fits(page)
    page.get_by_text("Narrow down").tap()
    fits(page)

    open_session(page, worlds.EDITS)
    fits(page)
    page.keyboard.press("Shift+E")
    expect(transcript(page).locator(".diff-line").first).to_be_attached()
    fits(page)
    for name, sheet in (("Show outline", "Outline"), ("Show session panel", "Session")):
        button = page.get_by_role("button", name=name)
        expect(button).to_be_in_viewport(ratio=1)
        button.tap()
        dialog = page.get_by_role("dialog", name=sheet)
        expect(dialog).to_be_in_viewport()
        fits(page)
        dialog.get_by_role("button", name="Close").tap()
        expect(dialog).to_have_count(0)
    expect(page.get_by_role("button", name="Find in conversation")).to_be_in_viewport(ratio=1)


def test_the_palette_opens_by_a_tap(page):
    """A button opens the palette without a keyboard, and a tap opens what it found."""
    to_list(page)
    expect(listed(page)).to_have_count(5)
    page.get_by_role("button", name="Jump to").tap()
    palette = page.get_by_role("dialog", name="Jump to")
    fits(page)
    palette.get_by_role("option", name="Tide table: round half up").tap()

    expect(page.get_by_role("heading", name="Tide table: round half up")).to_be_visible()


def test_the_marks_of_the_minimap_are_whole(page):
    """No mark beside the transcript touches the edge of the screen."""
    open_session(page, worlds.LONG)
    marks = page.locator(".minimap-mark, .minimap-place")
    expect(marks.first).to_be_attached()
    right = marks.evaluate_all("all => Math.max(...all.map((each) => each.getBoundingClientRect().right))")

    assert right < PHONE["width"]


def test_the_theme_is_the_systems_until_it_is_chosen(page, settings):
    """The page follows the system's theme until the button changes it, and the choice survives a reload."""
    to_list(page)
    expect(listed(page)).to_have_count(5)

    def is_dark():
        return page.evaluate(
            """() => {
              const canvas = document.createElement('canvas').getContext('2d')
              canvas.fillStyle = getComputedStyle(document.documentElement).backgroundColor
              canvas.fillRect(0, 0, 1, 1)
              canvas.fillStyle = getComputedStyle(document.body).backgroundColor
              canvas.fillRect(0, 0, 1, 1)
              const [red, green, blue] = canvas.getImageData(0, 0, 1, 1).data
              return red + green + blue < 384
            }"""
        )

    assert is_dark() == (settings["color_scheme"] == "dark")
    chosen = "light" if settings["color_scheme"] == "dark" else "dark"
    button = page.get_by_role("button", name="Theme: system")
    button.tap()
    while page.get_by_role("button", name=f"Theme: {chosen}").count() == 0:
        page.get_by_role("button", name="Theme:").tap()
    assert is_dark() == (chosen == "dark")
    page.reload()
    expect(page.get_by_role("button", name=f"Theme: {chosen}")).to_be_visible()
    assert is_dark() == (chosen == "dark")
