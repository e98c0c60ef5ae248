"""Tests that a conversation of many thousand messages opens at its end, jumps anywhere, and scrolls without blanks."""

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from chorus.testing.builders import tool_use
from tests.e2e.support import worlds
from tests.e2e.support.opening import open_session, transcript
from tests.e2e.support.sampling import sampled
from tests.e2e.support.serving import Serving

ENDLESS = "10e60001-0000-4000-8000-000000000001"
MAX_ROWS = 400


def endless(messages: int):
    """Builds a session of so many messages: prompts, answers of all lengths, and some calls."""
    made = worlds.session(ENDLESS, ago=timedelta(days=3), cwd="/home/dev/logbook")
    made.title("An endless logbook")
    for hour in range(1, messages // 2 + 1):
        made.user(f"What happened in hour {hour}?")
        if hour % 10 == 0:
            made.assistant(
                f"Hour {hour}: I look it up.", tool_use("Read", {"file_path": f"/log/{hour}"}, id=f"toolu_h{hour}")
            )
            made.tool_result(f"toolu_h{hour}", f"entry of hour {hour}\n" * (hour % 9))
        else:
            made.assistant(f"**Hour {hour}**: wind from the west.\n\n" + "The sea was calm. " * (hour % 23))
    return made


@pytest.fixture(scope="module", params=[5_000, pytest.param(50_000, marks=pytest.mark.long)])
def messages(request) -> int:
    """The number of messages."""
    return request.param


@pytest.fixture(scope="module")
def serving(messages, tmp_path_factory, built) -> Iterator[Serving]:
    server = Serving(tmp_path_factory.mktemp("endless"))
    server.write(endless(messages))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def page(entered):
    return entered


def rows(page: Page) -> int:
    return page.locator("article[data-row]").count()


def test_it_opens_at_its_end(page, messages):
    """A long conversation opens at its last messages, with few rows in the document."""
    open_session(page, ENDLESS)

    expect(transcript(page).get_by_text(re.compile(f"hour {messages // 2}", re.IGNORECASE)).last).to_be_in_viewport()
    assert 0 < rows(page) < MAX_ROWS


def test_the_outline_jumps_to_the_first_prompt_and_back(page, messages):
    """The outline jumps to the first prompt, and End to the last message, whatever is between them."""
    open_session(page, ENDLESS)
    outline = page.get_by_label("Outline", exact=True)
    outline.hover()
    first = outline.get_by_role("button", name=re.compile(r"hour 1\?"))
    list_of = outline.locator(".virtual-list")
    list_of.evaluate("box => { box.scrollTop = 0 }")
    first.click()
    expect(transcript(page).get_by_text("What happened in hour 1?")).to_be_in_viewport()
    assert rows(page) < MAX_ROWS
    page.keyboard.press("End")

    expect(transcript(page).get_by_text(re.compile(f"hour {messages // 2}", re.IGNORECASE)).last).to_be_in_viewport()


@pytest.mark.parametrize("way", ["up", "down"])
def test_it_scrolls_without_a_blank_frame(page, messages, way):
    """While the wheel turns, up from the end or down from the beginning, every frame shows a message."""
    open_session(page, ENDLESS)
    if way == "down":
        page.keyboard.press("Home")
        expect(transcript(page).get_by_text("What happened in hour 1?")).to_be_in_viewport()
    before = page.locator("article[data-row]").first.get_attribute("data-row")
    steps = messages // 80
    seen = sampled(page, steps=steps, by=-900 if way == "up" else 900)

    assert seen["frames"] >= steps
    assert seen["blank"] == 0, seen
    assert seen["rows"] < MAX_ROWS
    assert seen["hours"] > steps, "it went nowhere"
    assert page.locator("article[data-row]").first.get_attribute("data-row") != before


def test_memory_stays_bounded_over_many_jumps(page, messages):
    """The number of rows in the document stays small over many jumps."""
    open_session(page, ENDLESS)
    last = messages // 2
    for hour in (1, last // 2, last // 3, last - 5):
        page.keyboard.press("/")
        field = page.get_by_role("textbox", name="Find in conversation")
        field.fill(f'"hour {hour}"')
        expect(page.locator("article.current")).to_contain_text(re.compile(rf"hour {hour}\b", re.IGNORECASE))
        expect(page.locator("article.current")).to_be_in_viewport()
        assert rows(page) < MAX_ROWS
        page.keyboard.press("Escape")


class TestTheSampler:
    """Tests the sampler that the test of blank frames uses."""

    def test_a_blank_frame_is_noticed(self, browser):
        """The sampler notices a list that draws its rows too late or not at all."""
        page = browser.new_page()
        page.set_content(
            "<div class=message-scroller style='height:400px;overflow:auto'><div style='height:90000px'>"
            + "".join(f"<article data-row={n}>hour {n}</article>" for n in range(20))
        )
        seen = sampled(page, steps=10, by=900)
        page.close()

        assert seen["blank"] > 0
        assert seen["hours"] == 20
