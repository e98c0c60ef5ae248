"""Tests the page of budgets: they are set, changed and removed by an approver, and each says what is used of it."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.approvals.cards import become_approver
from tests.e2e.support.accessibility import findings
from tests.e2e.support.agents import leaving_no_run, one_world, stands, start
from tests.support.running import until

world = pytest.fixture(scope="module")(one_world)
serving = pytest.fixture(leaving_no_run)


def serious(page: Page) -> list[str]:
    """Returns what axe finds in either theme."""
    found: list[str] = []
    for theme in ("dark", "light"):
        page.emulate_media(color_scheme=theme)
        until(lambda: page.evaluate("document.getAnimations().every(({ playState }) => playState !== 'running')"))
        found += findings(page)
    return found


def look_at(page: Page, text: str) -> None:
    page.get_by_label("Set a budget").fill(text)
    page.get_by_role("button", name="Look at it").click()


def line(page: Page, about: str):
    return page.get_by_role("listitem").filter(has_text=about).filter(has=page.get_by_role("button", name="Change"))


def used(page: Page, about: str):
    return line(page, about).get_by_role("list", name="Used")


def remove(page: Page, about: str) -> None:
    line(page, about).get_by_role("button", name="Remove").click()
    line(page, about).get_by_role("button", name="Remove it").click()
    expect(line(page, about)).to_have_count(0)


@pytest.fixture
def budgets_page(page):
    """The page of budgets in a browser that is an approver, while an agent works that has used 15 tokens."""
    become_approver(page)
    page.goto("/")
    start(page, "work hard")
    stands(page, "At work")
    address = page.url
    page.keyboard.press("Control+k")
    page.keyboard.type("Budgets")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Budgets", exact=True)).to_be_visible()
    return page, address


def test_budgets_are_set_changed_and_removed(budgets_page, contexts):
    """A person sees what a budget would limit before it is set, how much is used after, and makes an exception; a run
    whose budget is used up is stopped."""
    page, address = budgets_page
    contexts.watches[-1].expect("400")
    look_at(page, "run tokens")
    expect(page.get_by_role("alert")).to_contain_text("a limit is written `name:value`")
    look_at(page, "run tokens:17 minutes:60")
    preview = page.get_by_role("region", name="What the budget would limit")
    expect(preview).to_contain_text("15 of 17 tokens for this run · nearly used up")
    assert serious(page) == []
    page.get_by_role("button", name="Set it").click()

    expect(used(page, "each run").get_by_role("listitem").first).to_contain_text("15 of 17 tokens")
    expect(line(page, "each run").get_by_role("progressbar").first).to_have_attribute("aria-valuenow", "88")
    expect(line(page, "each run")).to_contain_text("Ada's laptop")
    look_at(page, "day money:50")
    page.get_by_role("button", name="Set it").click()
    expect(used(page, "each day")).to_contain_text("of $50.00 for today")
    session = address.rpartition("/")[2]
    look_at(page, f"conversation tokens:none only:{session}")
    page.get_by_role("button", name="Set it").click()
    expect(line(page, f"only conversation {session}")).to_contain_text("exception")
    assert serious(page) == []

    line(page, "each run").get_by_role("button", name="Change").click()
    expect(page.get_by_label("Set a budget")).to_have_value("run tokens:17 minutes:60")
    look_at(page, "run tokens:10")
    expect(preview).to_contain_text("replaces run tokens:17 minutes:60")
    expect(preview).to_contain_text("are stopped as soon as it is set")
    page.get_by_role("button", name="Set it").click()
    expect(line(page, "each run")).to_contain_text("tokens:10")
    page.goto(address)
    expect(page.get_by_text(re.compile("its budget is used up")).first).to_be_visible()

    page.goto("/budgets")
    for about in ("each run", "each day", "only conversation"):
        remove(page, about)
    expect(page.get_by_text("There are no budgets yet.")).to_be_visible()


def test_a_browser_that_is_no_approver_only_looks(page):
    """Without a key, budgets can be looked at and tried, and not set."""
    page.goto("/budgets")
    look_at(page, "day money:50")
    expect(page.get_by_text("To set it, make this browser an approver")).to_be_visible()
    expect(page.get_by_role("button", name="Set it")).to_have_count(0)
