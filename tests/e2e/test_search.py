"""Tests the search over all conversations: hits, facets, order, and the jump to a place."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import reading

serving = pytest.fixture(reading)


def hits(page):
    return page.get_by_role("region", name="Hits").get_by_role("link")


def test_a_hit_leads_to_its_place(page):
    """A hit shows its conversation and its marked words, and a click opens the conversation at that message."""
    page.goto("/search")
    field = page.get_by_role("combobox", name="Search")
    expect(field).to_be_focused()
    field.fill('"day 17"')
    page.keyboard.press("Enter")
    expect(hits(page)).not_to_have_count(0)
    first = hits(page).filter(has_text="What happened on day 17?")
    expect(first.locator("mark").first).to_have_text(re.compile("day", re.IGNORECASE))
    expect(page.get_by_role("region", name="Hits")).to_contain_text("A logbook of forty days")
    expect(page).to_have_url(re.compile(r"/search\?q="))
    first.click()

    expect(page).to_have_url(re.compile(r"/c/.*at="))
    current = page.locator("article.current")
    expect(current).to_contain_text("What happened on day 17?")
    expect(current).to_be_in_viewport()
    page.go_back()
    expect(field).to_have_value('"day 17"')
    expect(first).to_be_visible()


def test_a_hit_in_a_call_opens_the_call(page):
    """A hit in a command leads to its call, opened and in view, however far down in its message it is."""
    page.goto("/search?q=tool:Bash+tests")
    hits(page).first.click()

    expect(page).to_have_url(re.compile("at=call"))
    current = page.locator("article.current")
    expect(current).to_be_in_viewport()
    line = current.locator("[data-call] .call-line").filter(has_text="Run the tests")
    expect(line).to_have_attribute("aria-expanded", "true")
    expect(line).to_be_in_viewport()


def test_a_hit_in_a_sub_agent_opens_its_thread(page):
    """A text of a sub-agent is found, and opens in the sub-agent's thread."""
    page.goto("/search?q=languages")
    hit = hits(page).filter(has_text="sub-agent").first
    expect(hit).to_be_visible()
    hit.click()

    expect(page).to_have_url(re.compile("thread=a1b2c3d4"))
    expect(page.get_by_role("navigation", name="Threads")).to_be_visible()


def test_facets_narrow_and_widen(page):
    """A facet adds its term to the query and narrows the hits, and the chip of the term removes it again."""
    page.goto("/search?q=the")
    expect(page.get_by_role("status").filter(has_text=re.compile(r"\d"))).to_be_visible()
    facets = page.get_by_role("complementary", name="Narrow down")
    expect(facets).to_be_visible()
    facet = facets.get_by_role("button", name=re.compile("^assistant"))
    facet.click()
    expect(page).to_have_url(re.compile(r"role(:|%3A)assistant"))
    expect(facet).to_have_attribute("aria-pressed", "true")
    chip = page.get_by_role("button", name="Remove role:assistant")
    expect(chip).to_be_visible()
    chip.click()

    expect(page).not_to_have_url(re.compile("assistant"))
    expect(facet).to_have_attribute("aria-pressed", "false")


def test_the_best_can_come_first(page):
    """Hits are ordered newest first or best first, and the address keeps the order."""
    page.goto("/search?q=day")
    expect(hits(page)).not_to_have_count(0)
    page.get_by_role("group", name="Order").or_(page.get_by_role("radiogroup", name="Order")).get_by_text(
        "Best"
    ).click()
    expect(page).to_have_url(re.compile("rank"))
    page.reload()
    expect(hits(page)).not_to_have_count(0)

    asked = page.evaluate("performance.getEntriesByType('resource').map((each) => each.name)")
    assert [url for url in asked if "/api/search" in url and "rank=" in url]


def test_nothing_found_and_a_wrong_query_say_so(page, watch):
    """The page says when nothing was found; a faulty query is marked in the field, once, with examples to try."""
    watch.expect("400")
    page.goto("/search?q=zeppelin")
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
    page.goto("/search?q=%22open")

    field = page.get_by_role("combobox", name="Search")
    expect(field).to_have_attribute("aria-invalid", "true")
    said = page.locator(f'[id="{field.get_attribute("aria-describedby")}"]')
    expect(said).not_to_be_empty()
    expect(page.get_by_text(said.inner_text())).to_have_count(1)
    page.get_by_role("button", name="cost>5").click()
    expect(field).to_have_attribute("aria-invalid", "false")


def test_a_hit_reads_like_the_transcript(page):
    """A hit names the speaker as the transcript does, and shows the text without Markdown syntax."""
    page.goto("/search?q=banker")
    hit = hits(page).filter(has_text="rounding").first
    expect(hit).to_contain_text("Claude")
    expect(hit).to_contain_text("The table uses banker's rounding")
    expect(hit.locator("mark")).to_have_text("banker")
    assert "**" not in hit.inner_text() and "```" not in hit.inner_text()
    hit.click()

    expect(page.locator("article.current")).to_contain_text("Claude")


def test_the_keyboard_walks_the_hits(page):
    """Keys move from the field to the hits, and Enter opens one."""
    page.goto("/search?q=frisian")
    expect(hits(page)).not_to_have_count(0)
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    expect(hits(page).first).to_be_focused()
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile("/c/"))
