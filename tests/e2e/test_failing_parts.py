"""Tests that a part, row, panel or page that cannot be drawn says so in its place, and that the rest still works."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.conftest import reading
from tests.e2e.support import worlds
from tests.e2e.support.opening import open_session, transcript

serving = pytest.fixture(reading)


@pytest.fixture
def page(entered, contexts):
    contexts.watch_of(entered).expect("TypeError|Cannot read|is not")
    return entered


def damage(page: Page, path: str, change: Callable[[Any], object]) -> None:
    """Changes answers of the server, so that they reach the page in a form that it does not know."""

    def give(route: Route) -> None:
        answer = page.evaluate(
            "async (url) => await (await fetch(url + (url.includes('?') ? '&' : '?') + 'as_it_is=1')).json()",
            route.request.url,
        )
        change(answer)
        route.fulfill(body=json.dumps(answer), content_type="application/json")

    page.route(re.compile(rf"{path}(?!.*as_it_is)"), give)


def messages(answer: dict[str, Any]) -> list[dict[str, Any]]:
    return [each["row"] for each in answer["rows"] if each["row"]["type"] == "message"]


def test_a_row_that_fails_shows_its_place_and_its_record(page):
    """A row that cannot be drawn says so, names the place of its record and shows it, and the other rows are drawn."""
    damage(page, r"/rows\?", lambda answer: messages(answer)[0].update(pieces=None))
    shown = open_session(page, worlds.EDITS)
    page.keyboard.press("Home")
    failed = shown.locator("[data-failed=row]")

    expect(failed).to_have_count(1)
    expect(failed).to_contain_text("This row cannot be drawn")
    expect(failed).to_contain_text(re.compile(r" at \d"))
    assert shown.locator("article").count() > 2
    failed.get_by_role("button", name="Raw record").click()
    expect(page.get_by_role("dialog", name="Raw record")).to_contain_text("uuid")


def test_a_part_of_a_row_that_fails_leaves_the_row(page):
    """A piece of a message that cannot be drawn is replaced by a note; the other pieces stay."""
    damage(page, r"/rows\?", lambda answer: messages(answer)[0]["pieces"].insert(0, {"type": "prose", "markdown": 7}))
    shown = open_session(page, worlds.EDITS)
    page.keyboard.press("Home")

    expect(shown.locator("[data-failed=block]")).to_have_count(1)
    expect(shown.locator("[data-failed=row]")).to_have_count(0)


def test_a_panel_that_fails_leaves_the_transcript(page):
    """An outline that cannot be drawn says so, and the messages beside it are shown as usual."""
    damage(page, "/outline", lambda answer: answer["marks"].insert(0, {"kind": "prompt", "id": 1, "text": None}))
    shown = open_session(page, worlds.EDITS)

    expect(page.get_by_label("Outline", exact=True).get_by_role("alert")).to_contain_text("The outline failed")
    expect(shown.locator("article").first).to_be_visible()


def test_a_page_that_fails_leaves_the_application(page):
    """A page that cannot be drawn says so, and the links to the other pages still work."""
    damage(page, r"/conversations/[^/]+/[^/]+/[^/?]+(\?|$)", lambda answer: answer.update(summary=None))
    damage(page, r"/rows\?", lambda answer: None)
    name = page.evaluate("async () => (await (await fetch('/api/conversations')).json()).conversations[0].name")
    page.goto("/c/" + name)

    expect(page.locator("[data-failed=page]")).to_contain_text("This page failed")
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Search").click()
    expect(page.get_by_role("combobox", name="Search")).to_be_visible()
    assert transcript(page).count() == 0
