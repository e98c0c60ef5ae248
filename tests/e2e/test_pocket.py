"""Tests the start page on a phone in one hand: what needs a person first, what works now, and answers with a thumb."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from chorus.testing.builders import Run, tool_use
from tests.e2e.approvals.cards import approve, become_approver, card
from tests.e2e.support.agents import leaving_no_run, one_world
from tests.e2e.support.asking import Agent
from tests.e2e.support.opening import transcript
from tests.e2e.support.phone import fits
from tests.e2e.support.thumb import THUMB_PX, apart, double_tap, in_reach, tap

COMMAND = "pytest --maxfail=1 tests/harbour && rm -rf build/harbour-report"
LONG = "\n".join(f"echo 'line {number} of a script that nobody wants to read'" for number in range(120))
PAUSE_S = 12
"""How long the stand-in works before it says more: long enough to be seen on a slow machine."""

world = pytest.fixture(one_world)
"""One for each test: only the first browser of a server is an approver at once."""
serving = pytest.fixture(leaving_no_run)


@pytest.fixture(params=["light", "dark"])
def settings(request):
    return {
        "viewport": {"width": 390, "height": 844},
        "color_scheme": request.param,
        "has_touch": True,
        "is_mobile": True,
    }


@pytest.fixture
def agent(serving):
    asking = Agent(serving)
    yield asking
    asking.leave()


def stand_in(folder: Path) -> Path:
    """Installs a stand-in that asks for a command, then runs tests for a while."""
    run = Run()
    run.init()
    run.assistant(tool_use("Bash", {"command": COMMAND}, id="toolu_1"))
    run.ask("toolu_1", "Bash", {"command": COMMAND}, request="ask-1")
    asked = len(run.lines)
    run.tool_result("toolu_1", "collected")
    run.assistant("Running test 5 of 20...", stop="tool_use")
    first = len(run.lines)
    run.assistant("Running test 12 of 20...", stop="tool_use")
    second = len(run.lines)
    run.assistant("All pass.")
    run.result("All pass.")
    (folder / "run.jsonl").write_bytes(bytes(run))
    pauses = [0.0] * len(run.lines)
    for number in range(len(run.lines)):
        pauses[number] = 1.0 * (number >= asked) + PAUSE_S * (number >= first) + 10 * PAUSE_S * (number >= second)
    (folder / "run.times").write_text("".join(f"{1_700_000_000 + pause}\n" for pause in pauses))
    found = folder / "stand-in"
    command = [sys.executable, "-m", "chorus", "fake-claude", "--install", str(found), str(folder / "run.jsonl")]
    subprocess.run(command, check=True, capture_output=True)
    return found


def top(shown: Locator) -> float:
    box = shown.bounding_box()
    assert box is not None
    return box["y"]


def bottom(shown: Locator) -> float:
    box = shown.bounding_box()
    assert box is not None
    return box["y"] + box["height"]


def section(page: Page, column: str) -> Locator:
    return page.locator(f'section[data-column="{column}"]')


def test_somebody_on_the_sofa(page, world, axe, tmp_path, screenshot):
    """A run asks: the start page shows it first with its whole command, a thumb approves it, and the progress moves."""
    world.settle(str(stand_in(tmp_path)))
    become_approver(page)
    page.goto("/new")
    page.get_by_label("What is to be done").fill("Run the tests.")
    page.get_by_role("button", name="Start", exact=True).tap()
    page.wait_for_url(re.compile("/c/"))
    pages = page.get_by_role("navigation", name="Pages")
    expect(page.locator("[data-approval]")).to_contain_text(COMMAND)
    page.set_viewport_size({"width": 390, "height": 667})
    send = page.get_by_role("button", name="Send", exact=True)
    expect(send).to_be_visible()
    assert bottom(send) <= top(pages), "the cards leave room for it"
    page.set_viewport_size({"width": 390, "height": 844})
    pages.get_by_role("link", name="Now").tap()

    asked = section(page, "needs you").locator("[data-approval]")
    expect(asked).to_contain_text(COMMAND)
    expect(asked.get_by_text("rm -rf build/harbour-report")).to_be_in_viewport(ratio=1)
    fits(page)
    assert axe(page) == []
    screenshot(page, "asks")
    tap(asked.get_by_role("button", name="Approve"))
    expect(asked).to_contain_text("Approved")

    working = section(page, "working").locator("[data-tile]")
    expect(working).to_contain_text("5 of 20")
    expect(working.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "25")
    expect(working).to_contain_text("12 of 20", timeout=4 * PAUSE_S * 1000)
    expect(working.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "60")
    expect(working).to_contain_text("Running tests")
    expect(working).to_contain_text("words")
    expect(asked).to_contain_text("took effect")
    fits(page)
    assert axe(page) == []
    screenshot(page, "works")
    working.get_by_role("link").first.tap()
    page.wait_for_url(re.compile("/c/"))


def test_a_phone_on_its_side_answers_where_the_agent_asks(page, world, tmp_path, screenshot):
    """In a conversation on a low screen, the answers are in view and take effect, the command can be read, and the
    message box comes back as a whole when they are hidden."""
    world.settle(str(stand_in(tmp_path)))
    become_approver(page)
    page.goto("/new")
    page.get_by_label("What is to be done").fill("Run the tests.")
    page.get_by_role("button", name="Start", exact=True).tap()
    page.wait_for_url(re.compile("/c/"))
    shown = page.locator("[data-approval]")
    expect(shown).to_contain_text(COMMAND)
    # The cards are drawn anew when the first records are there.
    expect(page.locator(".transcript-rows")).to_be_visible()
    page.set_viewport_size({"width": 740, "height": 360})
    send = page.get_by_role("button", name="Send", exact=True)
    expect(send).to_be_hidden()
    screenshot(page, "asks")
    page.get_by_role("button", name="Hide", exact=True).tap()
    expect(send).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="Show", exact=True).tap()
    shown.locator(".approval-end").evaluate("end => end.scrollIntoView({block: 'center'})")
    expect(shown.get_by_text("rm -rf build/harbour-report")).to_be_in_viewport(ratio=1)
    fits(page)
    tap(shown.get_by_role("button", name="Approve"))
    expect(shown).to_contain_text("Approved")


def test_a_long_command_is_read_to_its_end_before_it_is_approved(page, world, agent, axe, screenshot):
    """The answers stay in reach of the thumb, large and apart; there is a sign that more follows; a tap before the end
    and a double tap do nothing."""
    become_approver(page)
    request = agent.ask(LONG)
    page.goto("/now")
    shown = card(page, request)
    expect(shown).to_contain_text("line 119 of")
    yes, no = approve(page, request), shown.get_by_role("button", name="Deny", exact=True)
    expect(shown).to_contain_text("Read to the end to approve it.")
    expect(shown.locator("[data-more]")).to_have_count(1)
    for button in (yes, no):
        in_reach(page, button)
    assert apart(no, yes) >= 24
    fits(page)
    assert axe(page) == []
    screenshot(page, "long")
    tap(yes)
    expect(yes).to_have_attribute("aria-disabled", "true")
    assert agent.row(request).is_pending

    shown.locator(".approval-end").evaluate("end => end.scrollIntoView({block: 'center'})")
    expect(shown.locator("[data-more]")).to_have_count(0)
    in_reach(page, yes)
    # A double tap that begins while the card has just moved.
    shown.evaluate("card => card.scrollIntoView({block: 'end'})")
    double_tap(yes)
    assert agent.row(request).is_pending
    tap(yes)
    expect(shown).to_contain_text("Approved")


def test_the_composer_takes_dictation_and_stays_above_the_keyboard(page, world):
    """The field is large, begins sentences with a capital letter, Enter starts a line, the button to send is large, the
    draft survives a reload, and the keyboard covers nothing."""
    page.add_init_script(KEYBOARD)
    page.goto("/new")
    page.get_by_label("What is to be done").fill("Paint the buoy.")
    page.get_by_role("button", name="Start", exact=True).tap()
    page.wait_for_url(re.compile("/c/"))
    # A reload before the conversation is recorded would ask for something that is not there yet.
    expect(transcript(page).get_by_text("You said: Paint the buoy.")).to_be_visible()
    field = page.get_by_label("Message to the agent")
    expect(field).to_be_visible()
    hints = {name: field.get_attribute(name) for name in ("autocapitalize", "enterkeyhint", "inputmode", "spellcheck")}
    assert hints == {"autocapitalize": "sentences", "enterkeyhint": "enter", "inputmode": "text", "spellcheck": "true"}
    field.tap()
    page.keyboard.type("Twice.")
    page.keyboard.press("Enter")
    page.keyboard.type("And the rope.")
    expect(field).to_have_value("Twice.\nAnd the rope.")
    page.reload()
    expect(field).to_have_value("Twice.\nAnd the rope.")
    send = page.get_by_role("button", name="Send", exact=True)
    assert min(size(send)) >= THUMB_PX
    assert size(field)[1] >= 2 * THUMB_PX

    page.evaluate("openKeyboard(320)")
    expect(page.get_by_role("navigation", name="Pages")).to_be_hidden()
    page.wait_for_function("() => document.querySelector('#main').getBoundingClientRect().bottom <= innerHeight - 320")
    assert bottom(send) <= 844 - 320
    page.evaluate("openKeyboard(0)")
    expect(page.get_by_role("navigation", name="Pages")).to_be_visible()


KEYBOARD = """
const real = window.visualViewport
const shown = new EventTarget()
let covered = 0
Object.defineProperty(shown, 'height', { get: () => window.innerHeight - covered })
Object.defineProperty(shown, 'scale', { get: () => 1 })
Object.defineProperty(window, 'visualViewport', { value: shown })
window.openKeyboard = (px) => {
  covered = px
  shown.dispatchEvent(new Event('resize'))
}
"""
"""A browser on a computer has no keyboard that covers the page: this one says that it has."""


def size(found: Locator) -> tuple[float, float]:
    box = found.bounding_box()
    assert box
    return box["width"], box["height"]


def test_a_phone_opens_with_what_needs_it(page, world):
    """A phone opens with the start page, reaches other pages with the thumb, and stays on the list after a reload."""
    expect(page).to_have_title(re.compile("Now"))
    titles = {"Conversations": "^Chorus$", "Search": "Search", "Approvals": "Approvals", "Now": "Now"}
    for name, title in titles.items():
        link = page.get_by_role("navigation", name="Pages").get_by_role("link", name=name)
        assert size(link)[1] >= THUMB_PX
        assert bottom(link) > 844 - 100
        link.tap()
        expect(page).to_have_title(re.compile(title))
        fits(page)
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Conversations").tap()
    page.reload()
    expect(page).to_have_title(re.compile("^Chorus$"))
