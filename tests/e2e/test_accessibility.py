"""Tests that axe-core finds nothing serious on any page, in either theme."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.support import talks, worlds
from tests.e2e.support.accessibility import ANY_IMPACT, findings
from tests.e2e.support.entering import log_in
from tests.e2e.support.lasting import served
from tests.e2e.support.opening import listed, open_session, transcript


def lay_out_both(server):
    server.write(*worlds.small())
    talks.lay_out_all(server)


serving = served(lay_out_both)


@pytest.fixture(params=["light", "dark"])
def settings(request):
    return {"color_scheme": request.param}


def described(found: dict[str, list[str]]) -> str:
    """Returns the findings, one line each, with the name of their page."""
    return "\n".join(f"{name}: {each}" for name, said in found.items() for each in said)


def close(page: Page, dialog: str) -> None:
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name=dialog)).to_have_count(0)


def test_lists_and_sheets(page, axe):
    """The list, the palette, the help, the status and the search have no serious findings."""
    expect(listed(page).first).to_be_visible()
    found = {"list": axe(page)}
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog", name="Jump to")).to_be_visible()
    found["palette"] = axe(page)
    close(page, "Jump to")
    page.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Help")
    expect(sheet).to_be_visible()
    found["help, keys"] = axe(page)
    sheet.get_by_text("Queries", exact=True).click()
    found["help, queries"] = axe(page)
    close(page, "Help")
    page.get_by_role("button", name="Live").click()
    expect(page.get_by_role("dialog", name="Status")).to_be_visible()
    found["status"] = axe(page)
    close(page, "Status")
    page.goto("/search")
    found["search, empty"] = axe(page)
    page.goto("/search?q=the")
    expect(page.get_by_role("region", name="Hits").get_by_role("link").first).to_be_visible()
    found["search"] = axe(page)
    page.goto("/?q=zeppelin")
    expect(page.get_by_role("heading", name="No conversation matches")).to_be_visible()
    found["nothing"] = axe(page)

    assert described(found) == ""


def test_a_tooltip_is_no_page_content(page):
    """axe finds nothing, not even a minor problem, while a tooltip is open."""
    page.get_by_role("button", name="Help", exact=True).hover()
    expect(page.locator("[popover]")).to_have_text("Help?")

    assert findings(page, ANY_IMPACT) == []


def test_transcripts(page, axe):
    """Transcripts with everything opened, their panel, find and the raw record have no serious findings."""
    found = {}
    for name, session_id in {"tools": talks.TOOLS, "shapes": talks.SHAPES, "branches": talks.BRANCHES}.items():
        open_session(page, session_id)
        page.keyboard.press("Shift+E")
        page.keyboard.press("t")
        found[f"{name}, end"] = axe(page)
        page.keyboard.press("Home")
        expect(page.locator(".list-edge")).to_be_visible()
        found[f"{name}, beginning"] = axe(page)
    open_session(page, worlds.AGENTS)
    transcript(page).locator(".agent-line").click()
    expect(transcript(page).get_by_text("Only Wubbo, says the roster.")).to_be_visible()
    page.keyboard.press("s")
    expect(page.get_by_label("Session", exact=True)).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("Wubbo")
    expect(page.locator(".find-count")).to_have_text(re.compile("of"))
    found["sub-agent, panel and find"] = axe(page)
    page.keyboard.press("Escape")
    page.keyboard.press("r")
    expect(page.get_by_role("dialog", name="Raw record")).to_contain_text("sessionId")
    found["raw record"] = axe(page)

    assert described(found) == ""


class TestFirstRun:
    """Tests a machine without sessions."""

    @pytest.fixture
    def serving(self, empty):
        return empty

    def test_nothing_yet(self, contexts, serving, axe):
        """The page of the first run and the page without a login have no serious findings."""
        serving.start()
        page = contexts.make().new_page()
        log_in(page, serving)
        expect(page.get_by_role("heading", name="No sessions found")).to_be_visible()
        found = {"first run": axe(page)}
        stranger = contexts.make()
        contexts.watches[-1].expect("401")
        page = stranger.new_page()
        page.goto(serving.url + "/")
        expect(page.get_by_role("heading", name="Not logged in")).to_be_visible()
        found["not logged in"] = axe(page)

        assert described(found) == ""
