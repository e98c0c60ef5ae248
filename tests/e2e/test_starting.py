"""Tests the time between the start of an agent and its first message, including agents that never send one."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from chorus.keep.vault.keys import workspace_id
from tests.e2e.support.agents import dock, leaving_no_run, one_world, stands, start, to_new
from tests.e2e.support.opening import transcript
from tests.e2e.support.phone import fits, phone
from tests.support import actor
from tests.support.running import program

world = pytest.fixture(scope="module")(one_world)
serving = pytest.fixture(leaving_no_run)

ANSWERS_VERSION = """
import sys
if "--version" in sys.argv:
    print("2.1.325 (Claude Code)")
    raise SystemExit
"""
WAITS = """
import pathlib, time
while not pathlib.Path("go").exists():
    time.sleep(0.02)
"""
COMPLAINS = """
for line in sys.stdin:
    if '"user"' in line:
        sys.stderr.write({said!r})
        raise SystemExit({code})
"""
ENDINGS = {
    "not logged in": ("Not logged in · Please run /login", 1, "run claude once and log in"),
    "a flag it does not know": ("error: unknown option '--include-partial-messages'", 1, "claude update"),
    "dies": ("", 3, "exit code 3"),
    "hostile": ("<b>x</b> \u202eback", 1, "<b>x</b> \\u{202e}back"),
}


def slow(world) -> str:
    """Returns a client that waits for a file before it speaks, and then does what its prompts say."""
    return program(world.work.parent / "slow", ANSWERS_VERSION + WAITS + Path(actor.__file__).read_text("utf-8"))


def absent(page: Page) -> Locator:
    """Returns the element that is shown in place of the future conversation."""
    return page.get_by_role("main").get_by_role("status").filter(has=page.get_by_role("heading"))


def asked_for(watch) -> list[str]:
    """Returns the addresses of conversations that the page requested."""
    return [each.url for each in watch.requests if "/api/conversations/" in each.url]


def test_until_an_agent_speaks_the_page_waits_without_asking(page, world, watch, axe):
    """The page says that the agent starts, and where; it requests nothing until the first message appears by itself."""
    world.settle(slow(world))
    start(page, "Paint the buoy.")
    expect(absent(page)).to_contain_text("Starting")
    expect(absent(page)).to_contain_text(str(world.work))
    stands(page, "Starting …")
    expect(page).to_have_title(re.compile("Paint the buoy"))
    field = page.get_by_label("Message to the agent")
    field.fill("And mast.")
    for _ in "mast.":
        field.press("ArrowLeft")
    assert axe(page) == []
    page.wait_for_timeout(3000)
    assert asked_for(watch) == []

    (world.work / "go").touch()
    expect(transcript(page).get_by_text("You said: Paint the buoy.")).to_be_visible()
    expect(field).to_be_focused()
    page.keyboard.type("the ")
    expect(field).to_have_value("And the mast.")
    assert watch.unexpected() == []


def test_a_reload_while_it_starts(page, world, watch):
    """A reload while an agent starts shows the same waiting page, which continues when the agent speaks."""
    watch.expect("404")
    world.settle(slow(world))
    start(page, "Paint the buoy.")
    expect(absent(page)).to_contain_text("Starting")
    page.reload()
    expect(absent(page)).to_contain_text("Starting")
    before = len(asked_for(watch))
    page.wait_for_timeout(2500)
    assert len(asked_for(watch)) == before

    (world.work / "go").touch()
    expect(transcript(page).get_by_text("You said: Paint the buoy.")).to_be_visible()


def test_an_agent_that_never_speaks_can_be_stopped(page, world, axe):
    """If an agent is stopped before its first message, the page says so and offers a new start, but no resume."""
    world.settle(slow(world))
    start(page, "Paint the buoy.")
    stands(page, "Starting …")
    dock(page).get_by_role("button", name="Stop").click()
    page.wait_for_timeout(500)
    dock(page).get_by_role("button", name="Press again to stop it").click()
    expect(absent(page)).to_contain_text("The agent ended before it said anything")
    expect(absent(page)).to_contain_text("Stopped.")
    expect(dock(page)).to_have_count(0)
    expect(page.locator(".composer"), "no field that leads nowhere").to_have_count(0)
    assert axe(page) == []


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_start_that_fails_says_why_and_what_to_do(page, world, axe, ending):
    """A failed start shows the client's reason and what to do, and the form is filled in again for another start."""
    said, code, told = ENDINGS[ending]
    world.settle(program(world.work.parent / "failing", ANSWERS_VERSION + COMPLAINS.format(said=said, code=code)))
    start(page, "Paint the buoy.\nTwice.")
    expect(absent(page)).to_contain_text("The agent ended before it said anything")
    expect(absent(page)).to_contain_text(told)
    assert axe(page) == []
    absent(page).get_by_role("link", name="Start it again").press("Enter")

    expect(page.get_by_label("What is to be done")).to_have_value("Paint the buoy.\nTwice.")
    expect(page.get_by_label("Folder")).to_have_value(workspace_id(str(world.work)))
    world.settle(world.client)
    page.get_by_role("button", name="Start", exact=True).click()
    expect(transcript(page).get_by_text("You said: Paint the buoy.")).to_be_visible()


def test_a_client_that_dies_at_once(page, world, watch):
    """If a client dies at once, the page says why, and keeps the text that was typed."""
    watch.expect("409")
    world.settle(program(world.work.parent / "dead", ANSWERS_VERSION + "sys.exit('the keel is missing')"))
    to_new(page).fill("Paint the buoy.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("main")).to_contain_text("the keel is missing")
    again = page.get_by_role("link", name="Start it again")
    if again.count():
        again.click()
    expect(page.get_by_label("What is to be done")).to_have_value("Paint the buoy.")


def test_an_obstacle_is_shown_until_it_is_gone(page, world, axe):
    """If the messages of an agent cannot be recorded, the composer says so until they can; then they all appear."""
    world.settle(world.client, agents=({"name": "bo"},))
    block = world.serving.vault / "conversations" / workspace_id(str(world.work)) / "bo"
    block.parent.mkdir(parents=True, exist_ok=True)
    block.write_text("a file where a folder should be")
    field = to_new(page)
    page.get_by_label("Agent").select_option("bo")
    field.fill("Paint the buoy.")
    page.get_by_role("button", name="Start", exact=True).click()
    alert = dock(page).get_by_role("alert")
    expect(alert).to_contain_text("Not everything can be recorded or asked now")
    expect(alert).to_contain_text("It is tried again by itself.")
    assert axe(page) == []

    block.unlink()
    expect(transcript(page).get_by_text("You said: Paint the buoy.")).to_be_visible()
    expect(alert).to_have_count(0)


@pytest.mark.parametrize("theme", ["light", "dark"])
class TestLooks:
    """Tests the pages on a phone, in both themes."""

    @pytest.fixture
    def settings(self, theme):
        return phone(theme)

    def test_starting_and_failing_fit_and_have_no_serious_findings(self, page, world, axe):
        """The pages of a starting and of a failed agent fit in 360 points and have no serious findings."""
        long = "x" * 300
        world.settle(program(world.work.parent / "failing", ANSWERS_VERSION + COMPLAINS.format(said=long, code=1)))
        page.get_by_role("link", name="Start an agent").tap()
        page.get_by_label("What is to be done").fill("Go.")
        page.get_by_role("button", name="Start", exact=True).tap()
        expect(absent(page)).to_contain_text(long)
        fits(page)
        assert axe(page) == []
        world.settle(slow(world))
        absent(page).get_by_role("link", name="Start it again").tap()
        page.get_by_role("button", name="Start", exact=True).tap()
        stands(page, "Starting …")
        fits(page)
        assert axe(page) == []
