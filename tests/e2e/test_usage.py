"""Tests the usage page: charts, their tables, and the links to the conversations."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import reading
from tests.e2e.support.opening import listed
from tests.e2e.support.phone import fits, phone

serving = pytest.fixture(reading)


def test_a_bar_leads_to_its_conversations(page):
    """A click on a bar opens the list of exactly the conversations that it counts, and going back returns."""
    page.goto("/")
    page.get_by_role("link", name="Usage").click()
    tools = page.get_by_role("region", name="Tools", exact=True)
    expect(tools).to_be_visible()
    tools.locator("a.usage-bar").first.click()

    expect(page).to_have_url(re.compile(r"/\?q=usage%3Atool%3D"))
    expect(listed(page).first).to_be_visible()
    page.go_back()
    expect(tools).to_be_visible()


def test_the_table_says_the_same_by_keyboard(page):
    """Each chart has a table that opens with a key and whose links lead to the same list."""
    page.goto("/usage?by=model")
    card = page.get_by_role("region", name="Cost by model", exact=True)
    card.locator("summary").focus()
    page.keyboard.press("Enter")
    table = card.get_by_role("table")
    expect(table).to_be_visible()
    expect(table.get_by_role("row").last).to_contain_text("Total")
    link = table.get_by_role("link").first
    link.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/\?q=usage%3Amodel%3D"))


def test_choices_are_in_the_address(page):
    """Grouping, period, measure and query are part of the address, and a query narrows every number."""
    page.goto("/usage")
    page.get_by_role("group", name="Group by").get_by_role("button", name="Workspace").click()
    page.get_by_role("group", name="Period").get_by_role("button", name="30 days").click()
    page.get_by_role("group", name="Measure").get_by_role("button", name="Tokens").click()
    expect(page.get_by_role("heading", name="Tokens by workspace")).to_be_visible()
    expect(page).to_have_url(re.compile(r"by=workspace.*since=30d.*of=tokens|since=30d.*by=workspace.*of=tokens"))
    before = page.get_by_role("definition").first.text_content()
    page.get_by_role("combobox", name="Narrow the usage").fill("tool:Edit")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("q=tool"))
    expect(page.get_by_role("definition").first).not_to_have_text(before or "")
    with page.expect_download() as download:
        page.get_by_role("link", name="Tokens by workspace as CSV").click()
    assert download.value.suggested_filename == "usage-by-workspace.csv"
    page.get_by_role("combobox", name="Narrow the usage").fill("zeppelin")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Nothing was used")).to_be_visible()


class TestOnAPhone:
    """Tests a small screen, in both themes."""

    @pytest.fixture(params=["light", "dark"])
    def settings(self, request):
        return phone(request.param)

    def test_it_fits_and_has_no_findings(self, page, axe):
        """Nothing is wider than the screen, and axe finds nothing serious while a table is open."""
        for address in ("/usage", "/usage?by=workspace&of=tokens"):
            page.goto(address)
            expect(page.get_by_role("region", name="Tools", exact=True)).to_be_visible()
            page.locator("summary").first.click()
            fits(page)
            assert axe(page) == []
