"""Tests that no page of the application is wrong on a phone: its width, its errors, its accessibility, its targets."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import reading
from tests.e2e.support import worlds
from tests.e2e.support.opening import listed, open_session, transcript
from tests.e2e.support.pages import every_page
from tests.e2e.support.phone import fits, phone, to_list

serving = pytest.fixture(reading)

ROUTER = Path(__file__).resolve().parents[2] / "web" / "src" / "app" / "router.tsx"

UNTIL_STILL = "() => !document.querySelector('[aria-busy=true]') && document.fonts.status === 'loaded'"
SMALL_TEXT = """() => {
  const found = new Set()
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement
    const said = texts.currentNode.textContent.trim()
    const { width, height } = element.getBoundingClientRect()
    // A picture made of text has units of its own, and a screen of a terminal its own size.
    if (!said || width <= 1 || height <= 1 || element.closest('svg, .pane-screen')) continue
    const px = parseFloat(getComputedStyle(element).fontSize)
    if (px < 12) found.add(`${px}px: ${said.slice(0, 30)}`)
  }
  return [...found]
}"""
SMALL_TARGETS = """() => [...document.querySelectorAll('header :is(button, a), main :is(button, input, select)')]
  .filter((each) => each.checkVisibility() && !each.closest('.sr-only, article, .virtual-list, .minimap'))
  .map((each) => {
    const { width, height } = each.getBoundingClientRect()
    const label = each.closest('label')?.getBoundingClientRect()
    const area = getComputedStyle(each, '::after')
    const more = area.position === 'absolute' ? Math.max(0, -parseFloat(area.top)) * 2 : 0
    const high = Math.max(height + more, label?.height ?? 0)
    return { name: each.getAttribute('aria-label') ?? each.innerText, width, high }
  })
  .filter(({ width, high }) => width > 1 && high < 39.5)
  .map(({ name, high }) => `${name}: ${Math.round(high)}`)"""


@pytest.fixture(params=["light", "dark"])
def settings(request):
    return phone(request.param) | {"viewport": {"width": 390, "height": 844}}


def test_every_route_of_the_application_is_walked(page):
    """The list of pages has an address for each route of the router."""
    to_list(page)
    expect(listed(page).first).to_be_visible()
    walked = [re.split(r"[?#]", address)[0] for address in every_page(page).values()]
    routes = re.findall(r'path: "([^"]+)"', ROUTER.read_text(encoding="utf-8"))
    shapes = {route: re.compile(re.sub(r"[$]\w+", "[^/]+", route)) for route in routes}
    assert len(routes) > 10
    assert [route for route, shape in shapes.items() if not any(map(shape.fullmatch, walked))] == []


def test_every_page_is_right_on_a_phone(page, watch, axe):
    """No page is wider than the screen, complains, is hard to use, or has text that is too small to read."""
    watch.expect("40[04]")
    to_list(page)
    expect(listed(page).first).to_be_visible()
    wrong: list[str] = []
    for name, address in every_page(page).items():
        page.goto(address)
        expect(page.locator("main")).to_be_visible()
        page.wait_for_load_state("networkidle")
        page.wait_for_function(UNTIL_STILL)
        fits(page)
        wrong += [f"{name}: {each}" for each in axe(page)]
        wrong += [f"{name}: {each}" for each in page.evaluate(SMALL_TEXT)]
        wrong += [f"{name}: target {each}" for each in page.evaluate(SMALL_TARGETS)]
        wrong += [f"{name}: {each}" for each in watch.unexpected()]
    assert not wrong, "\n".join(wrong)


def is_inside(page: Page, dialog: Locator, axe) -> list[str]:
    """Returns what is wrong with an open dialog."""
    expect(dialog).to_be_visible()
    page.wait_for_function(UNTIL_STILL)
    box = dialog.bounding_box()
    assert box is not None
    fits(page)
    is_whole = box["x"] >= 0 and box["y"] >= 0 and box["x"] + box["width"] <= 390 and box["y"] + box["height"] <= 844
    return [*axe(page), *([] if is_whole else [f"{dialog}: {box}"])]


def test_every_dialog_fits_a_phone(page, axe):
    """Sheets, menus and dialogs are inside the screen, can be closed there, and have no findings of axe."""
    to_list(page)
    expect(listed(page).first).to_be_visible()
    wrong: list[str] = []
    for button, name in (("Jump to", "Jump to"), ("Help", "Help"), ("Live", "Status")):
        page.get_by_role("banner").get_by_role("button", name=button).first.tap()
        wrong += is_inside(page, page.get_by_role("dialog", name=name), axe)
        page.keyboard.press("Escape")
    page.goto("/settings")
    page.get_by_role("button", name="Pair a phone").tap()
    dialog = page.get_by_role("dialog", name="Pair a phone")
    wrong += is_inside(page, dialog, axe)
    dialog.get_by_role("button", name="Show the QR code").tap()
    expect(dialog.get_by_role("img", name="QR code")).to_be_visible()
    wrong += is_inside(page, dialog, axe)
    dialog.get_by_role("button", name="Close").tap()

    open_session(page, worlds.EDITS)
    for button, name in (("Show outline", "Outline"), ("Show session panel", "Session")):
        page.get_by_role("button", name=button).tap()
        sheet = page.get_by_role("dialog", name=name)
        wrong += is_inside(page, sheet, axe)
        sheet.get_by_role("button", name="Close").tap()
    transcript(page).locator("article").last.tap()
    page.keyboard.press("r")
    wrong += is_inside(page, page.get_by_role("dialog", name="Raw record"), axe)
    page.keyboard.press("Escape")
    assert wrong == []


def test_the_title_of_a_transcript_is_read_whole(page):
    """The title in the header of a transcript has two lines, so that a sentence of seven words is not cut."""
    for number, session in enumerate((worlds.EDITS, worlds.AGENTS, worlds.FAILED, worlds.LONG)):
        if not number:
            to_list(page)
        open_session(page, session)
        title = page.get_by_role("heading", level=1)
        assert title.evaluate("e => e.scrollHeight <= e.clientHeight && e.scrollWidth <= e.clientWidth"), session
