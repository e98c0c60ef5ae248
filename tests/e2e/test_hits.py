"""Tests that a search hit opens unfolded, marked and in view anywhere in a conversation, and that days are shown."""

from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from chorus.testing.builders import Session, thinking, tool_use
from chorus.testing.builders.lines import Clock, Ids
from tests.e2e.support import worlds
from tests.e2e.support.lasting import served
from tests.e2e.support.opening import open_session, transcript

HITS = "e2e000a1-0000-4000-8000-000000000001"
DAYS = "e2e000a2-0000-4000-8000-000000000001"
MARKED = """(word) => [...(CSS.highlights.get('found') ?? [])].some((range) => {
  const box = range.getBoundingClientRect()
  const isSeen = box.height > 0 && box.top >= 0 && box.bottom <= window.innerHeight
  return isSeen && range.toString().toLowerCase() === word
})"""


def lines(count: int, word: str, at: int) -> str:
    """Returns many lines, one of them with a word."""
    return "\n".join(f"line {number} {word if number == at else 'nothing'}" for number in range(count))


def with_needles() -> Session:
    """Builds a session with a word in each place that is folded, cut or far below the beginning of its row."""
    made = worlds.session(HITS, ago=timedelta(hours=1))
    made.title("Needles in stacks")
    for number in range(30):
        made.user(f"Question {number}")
        made.assistant(f"Answer {number}.\n\n" * 5, stop="end_turn")
    made.user(lines(300, "promptneedle", 280))
    made.assistant(thinking(lines(80, "thoughtneedle", 70)), "Said.")
    for name, text in (
        ("outputneedle", lines(5_000, "outputneedle", 4_200)),
        ("cutneedle", lines(40_000, "cutneedle", 20_000)),
    ):
        made.assistant(tool_use("Bash", {"command": f"run {name[:3]}"}, id=f"call_{name}"))
        made.tool_result(f"call_{name}", text, structured={"stdout": text, "stderr": ""})
    written = {"file_path": "/x/a.txt", "content": lines(400, "inputneedle", 350)}
    made.assistant(*(tool_use("Bash", {"command": f"echo {n}"}, id=f"many{n}") for n in range(20)))
    made.assistant(tool_use("Write", written, id="call_write"))
    made.tool_result("call_write", "ok", structured={"type": "create", "filePath": "/x/a.txt", **written})
    for number in range(30, 60):
        made.user(f"Question {number}")
        made.assistant(f"Answer {number}.\n\n" * 5, stop="end_turn")
    return made


def over_days() -> Session:
    """Builds a conversation over several days; some of its records have no time."""
    clock = Clock("2026-03-01T22:00:00.000Z", step_ms=3 * 3_600_000)
    made = Session(DAYS, cwd="/home/dev/harbour", clock=clock, ids=Ids(DAYS))
    for number in range(12):
        made.user(f"Prompt {number}")
        made.fact("permission-mode", permissionMode="plan" if number % 2 else "default")
        made.assistant(f"Answer {number}", stop="end_turn")
    return made


serving = served(lambda server: server.write(with_needles(), over_days()))


@pytest.fixture
def page(entered: Page) -> Page:
    return entered


@pytest.mark.parametrize("word", ["promptneedle", "thoughtneedle", "outputneedle", "cutneedle", "inputneedle"])
def test_a_hit_opens_at_the_hit(page, word):
    """One click on a hit shows the found word marked and in view, also in folded, long or cut text."""
    page.goto(f"/search?q={word}")
    page.get_by_role("region", name="Hits").get_by_role("link").first.click()
    transcript(page).locator("article").first.wait_for()

    page.wait_for_function(MARKED, arg=word, timeout=30_000)


def test_escape_takes_the_marks_away(page):
    """Escape removes the marks of a hit, and the place stays in view."""
    page.goto("/search?q=promptneedle")
    page.get_by_role("region", name="Hits").get_by_role("link").first.click()
    page.wait_for_function(MARKED, arg="promptneedle")
    page.keyboard.press("Escape")

    page.wait_for_function("() => !CSS.highlights.has('found')")
    expect(page.locator("article.current")).to_be_in_viewport()


def test_days_are_said_where_they_begin(page):
    """A conversation over several days shows each day where it begins, and the outline names the day of each place."""
    open_session(page, DAYS)
    page.keyboard.press("Home")
    expect(transcript(page).locator(".day").first).to_have_text("Sunday, March 1, 2026")
    days = transcript(page).locator(".day").all_text_contents()

    assert days == [
        "Sunday, March 1, 2026",
        "Monday, March 2, 2026",
        "Tuesday, March 3, 2026",
        "Wednesday, March 4, 2026",
    ]
    expect(page.get_by_label("Outline", exact=True).get_by_role("button").first).to_contain_text("Mar 1")
