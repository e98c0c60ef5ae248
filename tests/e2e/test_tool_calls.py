"""Tests that every tool call has a view of its own in the transcript, and that unknown tools are readable too."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.support import talks
from tests.e2e.support.lasting import served
from tests.e2e.support.opening import call, open_call, open_session
from tests.e2e.support.reading import read_through

serving = served(talks.lay_out_all)


@pytest.fixture
def page(entered):
    return entered


@pytest.fixture
def tools(page: Page) -> Page:
    """A page in which a test opens the conversation with one call of each tool."""
    return page


def shown(page: Page, call_id: str) -> Locator:
    """Opens a call of that conversation, and returns it."""
    open_session(page, talks.TOOLS, at=call_id)
    return open_call(page, call_id)


def test_a_command_is_shown_with_its_output_in_colours(tools):
    """Bash shows the command, its output in the original colours, and its error output."""
    opened = shown(tools, "toolu_bash")

    expect(opened.get_by_label("Command", exact=True)).to_contain_text("make test | tee log")
    green = opened.locator(".ansi", has_text="green tests")
    red = opened.locator(".ansi", has_text="red ones")
    expect(green).to_be_visible()
    assert "\x1b" not in opened.inner_text() and "[32m" not in opened.inner_text()
    colours = [each.evaluate("each => getComputedStyle(each).color") for each in (green, red)]
    plain = opened.get_by_label("Output", exact=True).evaluate("each => getComputedStyle(each).color")
    assert len({*colours, plain}) == 3
    expect(opened.get_by_label("Error output", exact=True)).to_contain_text("a warning on the side")


def test_a_failed_command_is_open_and_says_its_exit_code(tools):
    """A failed command is open without a click, is marked as failed, and shows its exit code and error."""
    open_session(tools, talks.TOOLS)
    tools.keyboard.press("Home")
    failed = call(tools, "toolu_fails")

    expect(failed.locator(".call-state")).to_have_text("exit 7")
    expect(failed.locator(".call-line")).to_have_attribute("aria-expanded", "true")
    expect(failed).to_contain_text("Exit code 7")
    expect(failed).to_contain_text("cannot stat 'buoy'")


def test_what_a_background_shell_printed_leads_to_its_command(tools):
    """BashOutput shows the new output, and its button goes to the call that started the shell."""
    opened = shown(tools, "toolu_output")

    expect(opened).to_contain_text("still ebbing")
    opened.get_by_role("button", name="Go to what it belongs to").click()
    expect(tools).to_have_url(re.compile(r"[?&]at="))
    expect(tools.locator("article.row.current")).to_contain_text("Wait for the tide")


def test_an_edit_is_a_diff(tools):
    """Edit shows removed and added lines with line numbers, and counts both."""
    opened = shown(tools, "toolu_edit")

    expect(opened.locator(".diff-line.removed")).to_contain_text("return round(height)")
    expect(opened.locator(".diff-line.added")).to_contain_text("return floor(height + 0.5)")
    expect(opened.locator(".box-title")).to_have_text(re.compile(r"\+1\s*−1"))
    numbers = opened.locator(".diff-line.added .diff-numbers")
    assert numbers.get_attribute("data-after") == "42"


def test_several_edits_are_one_diff_each(tools):
    """MultiEdit shows each of its changes as a diff."""
    opened = shown(tools, "toolu_multi")

    expect(opened.locator(".diff-line.removed")).to_have_text([re.compile("ebb"), re.compile("flow")])
    expect(opened.locator(".diff-line.added")).to_have_text([re.compile("low water"), re.compile("high water")])


SAID = {
    "Read": ["tide.py", "def shown(height):"],
    "Write": ["TIDES.md", "# Tides", "Ebb and flow."],
    "NotebookEdit": ["tides.ipynb", "plot(moon)"],
    "Grep": [r"round\(", "tide.py:2:"],
    "Glob": ["**/*.py", "moon.py"],
    "WebFetch": ["https://tides.example/north-sea", "When is high water?", "High water is at 04:12", "200 OK"],
    "harbour › find_berth": ['"length_m": 12', '"berth": 4', '"free": true'],
}


def test_a_call_says_what_was_asked_and_what_came_back(tools):
    """The call of each tool shows its name, its input and its result."""
    open_session(tools, talks.TOOLS)
    rows = read_through(tools).values()

    for label, words in SAID.items():
        (row, *_) = [row for row in rows if f"\n{label}\n" in f"\n{row}"]
        assert [word for word in words if word not in row] == [], label


def test_a_list_of_things_to_do_is_a_list(tools):
    """TodoWrite shows each entry with its state, also as text for people who cannot see the icons."""
    opened = shown(tools, "toolu_todo")

    expect(opened.locator(".call-title")).to_have_text("1 of 3 done")
    items = opened.get_by_role("listitem")
    expect(items).to_have_text(
        [
            re.compile("completed: .*Round half up"),
            re.compile("in progress: .*harbour master"),
            re.compile("pending: .*pilots"),
        ]
    )


def test_a_question_shows_what_was_chosen(tools):
    """AskUserQuestion is open by default and shows the question, its options, and the chosen option."""
    opened = shown(tools, "toolu_ask")

    expect(opened).to_contain_text("How shall heights be rounded?")
    expect(opened.locator(".question-option.chosen")).to_contain_text("Half up")
    expect(opened.locator(".question-option")).to_have_count(2)


def test_a_plan_is_prose_and_says_whether_it_was_taken_up(tools):
    """ExitPlanMode is open by default and shows its plan as Markdown with the answer below."""
    opened = shown(tools, "toolu_plan")

    expect(opened.locator(".plan li")).to_have_text(["Round half up", "Tell the pilots"])
    expect(opened.locator(".plan strong")).to_have_text("half up")
    expect(opened).to_contain_text("approved")


def test_found_pages_are_links_that_say_where_they_lead(tools):
    """WebSearch lists pages as links that open in a new tab, send no referrer, and name their host."""
    link = shown(tools, "toolu_search").get_by_role("link")

    expect(link).to_have_text(re.compile("Tables of the North Sea"))
    expect(link).to_have_attribute("href", "https://tides.example/tables")
    expect(link).to_have_attribute("rel", "noopener noreferrer")
    expect(link).to_have_attribute("target", "_blank")
    expect(link).to_contain_text("opens tides.example")


def test_an_unknown_tool_is_json_and_json_in_a_string_opens(tools):
    """An unknown tool shows its input as JSON, and JSON inside a string opens below it."""
    opened = shown(tools, "toolu_unknown")

    expect(opened.locator(".call-label")).to_have_text("Lighthouse")
    opened.get_by_role("button", name="open JSON").click()
    expect(opened.locator(".json-inner")).to_contain_text('"lamp": "red"')


def test_a_picture_that_a_tool_gave_is_shown(tools):
    """An image in the result of a tool is loaded from the server of Chorus, and can be enlarged."""
    opened = shown(tools, "toolu_picture")
    picture = opened.locator("figure img").first

    expect(picture).to_be_visible()
    tools.wait_for_function("image => image.complete && image.naturalWidth > 0", arg=picture.element_handle())
    assert "/api/conversations/" in (picture.get_attribute("src") or "")
    opened.get_by_role("button", name=re.compile("Enlarge image")).click()
    expect(tools.locator("dialog.lightbox[open]")).to_be_visible()
    tools.keyboard.press("Escape")
    expect(tools.locator("dialog.lightbox[open]")).to_have_count(0)
