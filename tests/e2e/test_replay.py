"""Tests that a conversation is replayed with keys, the pointer and its address, and while it is still growing."""

import re
from datetime import timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.support import worlds
from tests.e2e.support.entering import log_in
from tests.e2e.support.growing import going_on, path_of
from tests.e2e.support.lasting import served
from tests.e2e.support.opening import open_session, transcript

TALK = "e2e00019-0000-4000-8000-000000000001"


def lay_out(server):
    talk = worlds.session(TALK, ago=timedelta(hours=5))
    for number in range(300):
        talk.user(f"Question {number}")
        talk.assistant(f"Answer {number}", stop="end_turn")
    server.write(*worlds.small(), talk)


serving = served(lay_out)


def player(page: Page) -> Locator:
    return page.get_by_role("region", name="Player")


def scrubber(page: Page) -> Locator:
    return page.get_by_role("slider", name="Time of the recording")


@pytest.fixture
def edits(page: Page) -> Page:
    """A page with the conversation with edits and its open player."""
    open_session(page, worlds.EDITS)
    page.keyboard.press("v")
    expect(scrubber(page)).to_be_visible()
    return page


def test_keys_step_through_a_conversation(edits, axe):
    """Rows appear one by one, a call is open until its result, and the panel shows the state of that moment."""
    messages = transcript(edits)
    edits.keyboard.press("Home")
    expect(messages.locator("article")).to_have_count(1)
    edits.keyboard.press("Shift+S")
    state = edits.get_by_role("dialog", name="State at this moment").or_(
        edits.get_by_role("complementary", name="State at this moment")
    )
    expect(state.get_by_text("thinking")).to_be_visible()
    expect(state.get_by_text("tide.py")).to_have_count(0)
    edits.keyboard.press("d")
    expect(messages.locator('[data-call="toolu_edit1"]')).to_be_visible()
    expect(messages.locator('[data-call="toolu_bash1"]')).to_have_count(0)
    edits.keyboard.press("a")
    expect(messages.locator('[data-call="toolu_bash1"]')).to_contain_text("no result")
    expect(state.get_by_text("tide.py")).to_be_visible()
    assert axe(edits) == []
    edits.keyboard.press("x")
    expect(player(edits).get_by_role("status")).to_have_text("No error after this.")
    edits.keyboard.press("End")

    expect(messages.locator('[data-call="toolu_bash1"]')).not_to_contain_text("no result")
    expect(player(edits).get_by_text("At the end")).to_be_visible()


@pytest.fixture
def settings():
    return {"viewport": {"width": 1280, "height": 860}}


def test_the_player_has_no_serious_findings_in_the_dark(contexts, serving, axe):
    """The player has no serious findings in the dark theme at the width of a phone."""
    page = contexts.make(color_scheme="dark", viewport={"width": 390, "height": 800}).new_page()
    log_in(page, serving)
    open_session(page, worlds.AGENTS)
    page.keyboard.press("v")
    expect(scrubber(page)).to_be_visible()
    page.keyboard.press("5")
    expect(player(page)).to_have_attribute("data-phase", "paused")

    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_it_plays_and_pauses_with_the_space_bar(edits):
    """The space bar pauses the replay, and at a high speed it plays to the end of the conversation."""
    edits.keyboard.press("Home")
    expect(transcript(edits).locator("article")).to_have_count(1)
    edits.keyboard.press("Space")
    expect(player(edits)).to_have_attribute("data-phase", "playing")
    edits.keyboard.press("Space")
    expect(player(edits)).to_have_attribute("data-phase", "paused")
    player(edits).get_by_label("Speed").select_option("64")
    player(edits).get_by_role("button", name="Play", exact=True).click()

    expect(player(edits).get_by_text("At the end")).to_be_visible()
    expect(transcript(edits).locator("article").last).to_be_in_viewport()


def test_the_time_line_is_dragged_and_its_place_is_in_the_address(page):
    """The pointer moves through a long conversation, and a reload returns to the moment in the address."""
    messages = open_session(page, TALK)
    page.get_by_role("button", name="Replay").click()
    box = scrubber(page).bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.1, box["y"] + 5, steps=4)
    page.mouse.up()
    expect(messages.get_by_text(re.compile(r"^(Question|Answer) [23]\d$")).last).to_be_in_viewport()
    expect(messages.get_by_text("Question 60", exact=True)).to_have_count(0)
    expect(page).to_have_url(re.compile(r"at=20.*%21session%21"))
    page.reload()
    expect(scrubber(page)).to_have_attribute("aria-valuenow", re.compile(r"^1[01]\d$"))
    expect(messages.get_by_text(re.compile(r"^(Question|Answer) [23]\d$")).last).to_be_in_viewport()
    page.keyboard.press("9")
    expect(messages.get_by_text(re.compile(r"^(Question|Answer) 2[67]\d$")).last).to_be_in_viewport()
    page.keyboard.press("Shift+P")
    marks = page.get_by_role("group", name="Marks")
    marks.get_by_role("button").first.focus()
    page.keyboard.press("ArrowRight")

    expect(marks.locator("button:focus")).to_have_attribute("aria-label", re.compile("^Prompt: Question "))
    page.keyboard.press("v")
    expect(player(page)).to_have_count(0)
    expect(page).not_to_have_url(re.compile("at="))


def test_a_moment_that_is_not_there_is_said(page, watch):
    """An address with a moment of another conversation shows the conversation and says what is wrong."""
    watch.expect("404.*/replay/state")
    open_session(page, worlds.EDITS, at="0!0!other!000000000001")

    expect(player(page).get_by_role("status")).not_to_be_empty()
    expect(transcript(page).locator("article").first).to_be_visible()


def test_a_live_conversation_is_paused_and_followed_again(page, serving):
    """Records that arrive while the player is paused are not shown until the reader follows again."""
    messages = open_session(page, worlds.LIVE)
    page.keyboard.press("v")
    expect(scrubber(page)).to_be_visible()
    expect(player(page).get_by_text("Following live")).to_be_visible()
    page.keyboard.press("Space")
    expect(player(page).get_by_role("button", name="Follow")).to_be_visible()
    session = going_on(serving, worlds.LIVE)
    session.tool_result("toolu_live1", "3 passed")
    session.assistant("All lights blink in step.", stop="end_turn")
    serving.append(path_of(serving, worlds.LIVE), session.lines)
    expect(page.locator(".session-header")).to_contain_text("Done")
    expect(messages.get_by_text("All lights blink in step.")).to_have_count(0)
    page.keyboard.press("Shift+ArrowLeft")
    expect(messages.get_by_text("Make the harbour lights blink in step.")).to_be_visible()
    page.keyboard.press("End")

    expect(messages.get_by_text("All lights blink in step.")).to_be_visible()
