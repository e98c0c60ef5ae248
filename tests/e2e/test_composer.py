"""Tests the composer: a message survives a reload of the page, and everything works with the keyboard alone."""

import base64

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.approvals.cards import ANYTHING, RULE, STILL_MS, become_approver
from tests.e2e.support.accessibility import ANY_IMPACT, findings
from tests.e2e.support.agents import KEPT, dock, leaving_no_run, one_world, say, stands, start, to_new
from tests.e2e.support.asking import Agent
from tests.e2e.support.opening import listed, open_session, transcript
from tests.support import actor
from tests.support.running import until

world = pytest.fixture(scope="module")(one_world)
serving = pytest.fixture(leaving_no_run)

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
KEPT_PICTURES = """async () => {
  const opening = indexedDB.open('chorus-pictures')
  const database = await new Promise((resolve) => { opening.onsuccess = () => resolve(opening.result) })
  const asking = database.transaction('messages').objectStore('messages').getAll()
  const found = await new Promise((resolve) => { asking.onsuccess = () => resolve(asking.result) })
  database.close()
  return found.map(({ files }) => files.map(({ name }) => name))
}"""
AGED = """async () => {
  const opening = indexedDB.open('chorus-pictures')
  const database = await new Promise((resolve) => { opening.onsuccess = () => resolve(opening.result) })
  const store = database.transaction('messages', 'readwrite').objectStore('messages')
  const key = 'a tab that was closed'
  const put = store.put({ key, at: Date.now() - 25 * 60 * 60 * 1000, files: [new File(['x'], 'old.png')] }, key)
  await new Promise((resolve) => { put.onsuccess = () => resolve() })
  database.close()
}"""
"""A picture that a tab left behind, a day ago."""


def choose(page: Page, *names: str) -> None:
    data = base64.b64decode(PIXEL)
    files = [{"name": name, "mimeType": "image/png", "buffer": data} for name in names]
    page.locator('input[type="file"]').set_input_files(files)


def test_pictures_survive_a_reload_until_they_are_sent(page, world):
    """Chosen pictures stay with their text in this tab through a reload.

    After they are sent or removed, the browser stores nothing of them.
    """
    field = to_new(page)
    field.fill("What is this?")
    choose(page, "a.png", "b.png")
    expect(page.get_by_role("list", name="Pictures").get_by_role("img")).to_have_count(2)
    page.get_by_role("button", name="Remove b.png").click()
    until(lambda: page.evaluate(KEPT_PICTURES) == [["a.png"]])
    page.evaluate(AGED)
    page.reload()

    expect(page.get_by_role("img", name="a.png")).to_be_visible()
    expect(page.get_by_role("list", name="Pictures").get_by_role("img")).to_have_count(1)
    expect(field).to_have_value("What is this?")
    until(lambda: page.evaluate(KEPT_PICTURES) == [["a.png"]])
    other = page.context.new_page()
    other.goto("/new")
    expect(other.get_by_label("What is to be done")).to_have_value("")
    expect(other.get_by_role("list", name="Pictures")).to_have_count(0)
    other.close()

    page.get_by_role("button", name="Start", exact=True).click()
    expect(transcript(page).get_by_text("You said: What is this? with 1 pictures")).to_be_visible()
    picture, _ = world.noted("said.jsonl")[-1]["message"]["content"]
    assert picture["source"]["data"] == PIXEL
    until(lambda: page.evaluate(KEPT_PICTURES) == [])


def test_a_picture_alone_survives_where_a_conversation_is_gone_on_with(page, world):
    """A picture without text survives a reload below a finished conversation, and can then be sent."""
    open_session(page, KEPT)
    field = page.get_by_label("Message to go on with")
    expect(field).to_be_visible()
    page.keyboard.press("m")
    expect(field).to_be_focused()
    choose(page, "a.png")
    expect(dock(page).get_by_role("img", name="a.png")).to_be_visible()
    until(lambda: page.evaluate(KEPT_PICTURES) == [["a.png"]])
    page.reload()
    expect(dock(page).get_by_role("img", name="a.png")).to_be_visible()
    dock(page).get_by_role("button", name="Resume").click()
    expect(transcript(page).get_by_text("with 1 pictures")).to_be_visible()
    until(lambda: page.evaluate(KEPT_PICTURES) == [])


def tab_to(page: Page, wanted: Locator, key: str = "Tab", most: int = 40) -> None:
    """Moves the focus to an element with the keyboard, as a person without a mouse does."""
    for _ in range(most):
        if wanted.evaluate("each => each === document.activeElement"):
            return
        page.keyboard.press(key)
    expect(wanted).to_be_focused()


def card(page: Page) -> Locator:
    return page.get_by_role("region", name="Waiting for you").locator("[data-approval]").last


def test_an_agent_is_started_and_steered_without_a_mouse(page, world):
    """The keyboard alone is enough to start an agent and to steer it.

    It removes pictures, chooses agent and mode, starts, sends a message, interrupts the turn and stops the run.
    """
    expect(listed(page).first).to_be_visible()
    page.keyboard.press("c")
    field = page.get_by_label("What is to be done")
    expect(field).to_be_focused()
    page.keyboard.type("work on it")
    choose(page, "a.png")
    tab_to(page, page.get_by_role("button", name="Remove a.png"), "Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("list", name="Pictures")).to_have_count(0)
    expect(field).to_be_focused()
    with page.expect_file_chooser():
        tab_to(page, page.get_by_role("button", name="Add pictures"))
        page.keyboard.press("Enter")
    tab_to(page, page.get_by_label("Agent"))
    page.keyboard.type("a")
    expect(page.get_by_label("Agent")).to_have_value("ada")
    tab_to(page, page.get_by_role("radio", name="As set up: plan first"))
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="Ask first")).to_be_checked()
    tab_to(page, page.get_by_role("button", name="Start", exact=True))
    page.keyboard.press("Enter")
    stands(page, "At work")
    assert "--permission-mode=default" in world.arguments()

    page.keyboard.press("m")
    expect(page.get_by_label("Message to the agent")).to_be_focused()
    page.keyboard.type("And the mast.")
    tab_to(page, dock(page).get_by_label("Later"))
    page.keyboard.press("Space")
    tab_to(page, dock(page).get_by_role("button", name="Send"))
    page.keyboard.press("Enter")
    expect(dock(page).get_by_role("list", name="Queued messages")).to_contain_text("And the mast.")
    tab_to(page, dock(page).get_by_role("button", name="Interrupt"), "Shift+Tab")
    page.keyboard.press("Enter")
    stands(page, "Waits for your next message")
    page.keyboard.press("m")
    tab_to(page, dock(page).get_by_role("button", name="Stop"), "Shift+Tab")
    page.keyboard.press("Enter")
    page.wait_for_timeout(500)
    page.keyboard.press("Enter")
    expect(dock(page)).to_contain_text("The agent ended: stopped")


def test_what_an_agent_asks_is_answered_without_a_mouse(page, world, axe):
    """The keyboard leads to the card of a waiting agent, through its questions and to the answer.

    The focus is never lost.
    """
    become_approver(page)
    page.goto("/")
    start(page, "question me")
    expect(card(page)).to_contain_text("Which days?")
    waiting = dock(page).get_by_role("button", name="Waiting for you")
    page.keyboard.press("m")
    tab_to(page, waiting, "Shift+Tab")
    page.keyboard.press("Enter")
    expect(card(page)).to_be_focused()
    assert axe(page) == []
    tab_to(page, card(page).get_by_label("Red"))
    page.keyboard.press("ArrowDown")
    expect(card(page).get_by_label("Green")).to_be_checked()
    days = card(page).get_by_role("group", name="Which days?")
    tab_to(page, days.get_by_label("Monday"))
    page.keyboard.press("Space")
    tab_to(page, days.get_by_label("Other", exact=True))
    page.keyboard.press("Space")
    expect(days.get_by_label("Your own answer")).to_be_focused()
    page.keyboard.type("Sunday")
    page.wait_for_timeout(STILL_MS)
    tab_to(page, card(page).get_by_role("button", name="Send the answers"))
    page.wait_for_timeout(STILL_MS)
    page.keyboard.press("Enter")
    expect(card(page)).to_contain_text("Answered")
    expect(card(page)).to_be_focused()
    answers = until(lambda: world.noted("answers.jsonl"))[-1]["updatedInput"]["answers"]
    assert list(answers.values()) == ["Green", "Monday, Sunday"]

    say(page, "plan it")
    expect(card(page).get_by_role("button", name="Approve the plan")).to_be_visible()
    tab_to(page, waiting, "Shift+Tab")
    page.keyboard.press("Enter")
    tab_to(page, card(page).get_by_role("button", name="Keep planning, because"))
    page.keyboard.press("Enter")
    expect(card(page).get_by_label("Message to the agent")).to_be_focused()
    page.keyboard.press("Escape")
    expect(card(page).get_by_role("button", name="Keep planning, because")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.type("the boat leaks")
    tab_to(page, card(page).get_by_role("button", name="Keep planning and tell the agent"))
    page.wait_for_timeout(STILL_MS)
    page.keyboard.press("Enter")
    expect(transcript(page).get_by_text("Then not: the boat leaks")).to_be_visible()
    assert axe(page) == []


EDIT = {"file_path": "/home/dev/a.py", "old_string": "a = 1\n", "new_string": "a = 2\nb = 3\n"}


@pytest.mark.parametrize("theme", ["light", "dark"])
class TestFindings:
    """Tests that axe finds nothing, not even minor problems, where agents are started, talked to and answered."""

    @pytest.fixture
    def settings(self, theme):
        return {"color_scheme": theme}

    def test_start_and_composer(self, page, world, watch):
        """Start and composer have no findings with pictures, a fault, a refusal, settings, and one press on Stop."""
        watch.expect("409")
        found = {}
        (world.work / ".mcp.json").write_text('{"mcpServers": {"spy": {"command": "sh"}}}')
        field = to_new(page)
        found["new"] = findings(page, ANY_IMPACT)
        field.fill("work on it")
        choose(page, "a.png")
        page.locator('input[type="file"]').set_input_files({"name": "x", "mimeType": "image/png", "buffer": b"x"})
        page.keyboard.press("Control+Enter")
        expect(page.get_by_role("alert").filter(has_text="nobody has reviewed")).to_be_visible()
        found["refused"] = findings(page, ANY_IMPACT)
        (world.work / ".mcp.json").unlink()
        page.keyboard.press("Control+Enter")
        stands(page, "At work")
        say(page, "Later on.")
        dock(page).get_by_role("button", name="Model and mode").click()
        dock(page).get_by_role("button", name="Stop").click()
        expect(dock(page).get_by_role("button", name="Press again")).to_be_visible()
        expect(transcript(page).get_by_text("At it.")).to_be_visible()
        found["at work"] = findings(page, ANY_IMPACT)

        assert {name: lines for name, lines in found.items() if lines} == {}

    def test_cards(self, page, world):
        """The empty inbox, four kinds of cards with everything opened, and settled requests have no findings."""
        page.goto("/approvals")
        expect(page.get_by_text("it appears here")).to_be_visible()
        found = {"empty": findings(page, ANY_IMPACT)}
        asking = Agent(world.serving)
        try:
            denied = asking.ask("touch a.txt")
            asking.deny_elsewhere(denied, "no")
            asking.ask("rm -rf build", waits_s=540, suggestions=(RULE, ANYTHING))
            asking.ask(tool="Edit", given=EDIT)
            asking.ask(tool="AskUserQuestion", given={"questions": actor.QUESTIONS})
            asking.ask(tool="ExitPlanMode", given={"plan": actor.PLAN, "planFilePath": "/plans/buoy.md"})
            cards = page.locator("[data-approval]")
            expect(cards).to_have_count(4)
            cards.nth(0).get_by_role("button", name="Edit input").click()
            cards.nth(0).get_by_role("button", name="Whole input").click()
            cards.nth(1).get_by_role("button", name="Deny with a message").click()
            cards.nth(2).get_by_label("Other").first.check()
            page.get_by_role("button", name="What was asked").first.click()
            found["cards"] = findings(page, ANY_IMPACT)
        finally:
            asking.leave()
        expect(page.locator(".approval.settled")).to_have_count(4)
        found["settled"] = findings(page, ANY_IMPACT)

        assert {name: lines for name, lines in found.items() if lines} == {}
