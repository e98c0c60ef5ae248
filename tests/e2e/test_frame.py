"""Tests the frame around every page: header and navigation stay where they are."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import reading

serving = pytest.fixture(reading)
ADDRESSES = ("/", "/settings", "/usage", "/approvals", "/board", "/new", "/search?q=the")
FRAME_SCROLLS = "() => { scrollTo(0, 9999); return [scrollY, document.querySelector('main').scrollTop] }"


@pytest.fixture
def settings():
    return {"viewport": {"width": 1280, "height": 600}}


@pytest.mark.parametrize("address", ADDRESSES)
def test_the_frame_does_not_scroll(page: Page, address: str):
    """Scrolling moves the content of a page, and never the frame: the header stays in view."""
    page.goto(address)
    expect(page.locator("main > *").first).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert page.evaluate(FRAME_SCROLLS) == [0, 0]


def test_a_title_has_room_beside_the_filters(page: Page):
    """At the width at which filters appear beside the list, a title still has room for thirty characters."""
    expect(page.get_by_role("complementary", name="Filters")).to_be_visible()
    room = page.get_by_role("group", name="Columns").get_by_text("Conversation", exact=True)
    assert room.evaluate("cell => cell.getBoundingClientRect().width") >= 200
