"""Tests that agents are started, talked to, answered and ended on the page, with scripted clients and the real one."""

import base64
import json
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from chorus.keep.vault.keys import workspace_id
from chorus.steer.runs.run_folders import Runs
from tests.e2e.approvals.cards import become_approver, press
from tests.e2e.support.agents import KEPT, dock, leaving_no_run, one_world, say, stands, start, to_new
from tests.e2e.support.opening import act_on, address_of, listed, open_session, transcript
from tests.e2e.support.phone import fits, phone, to_list
from tests.e2e.support.serving import Serving
from tests.steer.clients import entries
from tests.support import actor
from tests.support.real_client import Client, Unavailable
from tests.support.running import end, until
from tests.support.scripted_api import ScriptedApi

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
HANDED = """([data, type, name]) => {
  const brought = new DataTransfer()
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
  brought.items.add(new File([bytes], name, { type: 'image/png' }))
  const how = { bubbles: true, cancelable: true }
  const event = type === 'paste'
    ? new ClipboardEvent('paste', { ...how, clipboardData: brought })
    : new DragEvent('drop', { ...how, dataTransfer: brought })
  document.activeElement.dispatchEvent(event)
}"""
"""A picture, as pasting or dropping brings it."""

world = pytest.fixture(scope="module")(one_world)
serving = pytest.fixture(leaving_no_run)


def test_an_agent_is_started_and_its_words_appear(page, world):
    """A person starts an agent from the list; its answer appears by itself, and the list shows that Chorus runs it."""
    expect(listed(page).first).to_be_visible()
    page.keyboard.press("c")
    field = page.get_by_label("What is to be done")
    expect(field).to_be_focused()
    page.reload()
    expect(page).to_have_title("Start an agent · Chorus")
    expect(page.get_by_label("Folder")).to_have_value(workspace_id(str(world.work)))
    expect(page.get_by_text(str(world.work), exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_disabled()
    field.fill("Paint the buoy.\nTwice.")
    page.get_by_label("Agent").select_option("ada")
    page.get_by_label("Model", exact=True).select_option("haiku")
    page.get_by_role("button", name="Start", exact=True).click()

    expect(transcript(page).get_by_text("You said: Paint the buoy.")).to_be_visible()
    stands(page, "Waits for your next message")
    assert {"--model=haiku", "--permission-mode=plan"} <= set(world.arguments())
    assert "/ada/" in page.url
    page.reload()
    expect(transcript(page).get_by_text("You said: Paint the buoy.")).to_be_visible()
    page.goto("/")
    expect(listed(page).filter(has_text="Paint the buoy").get_by_text("idle")).to_be_visible()


def test_a_message_with_a_picture(page, world):
    """Enter sends the text with the chosen picture, and a file that is no picture is refused."""
    start(page, "Hello.")
    stands(page, "Waits for your next message")
    chooser = dock(page).locator('input[type="file"]')
    chooser.set_input_files({"name": "evil.png", "mimeType": "image/png", "buffer": b"<svg onload=alert(1)>"})
    expect(dock(page).get_by_role("alert")).to_contain_text("“evil.png” is not a picture")
    chooser.set_input_files({"name": "a.png", "mimeType": "image/png", "buffer": base64.b64decode(PIXEL)})
    field = page.get_by_label("Message to the agent")
    field.focus()
    page.evaluate(HANDED, [PIXEL, "paste", "b.png"])
    page.evaluate(HANDED, [PIXEL, "drop", "c.png"])
    expect(dock(page).get_by_role("img")).to_have_count(3)
    expect(dock(page).get_by_role("alert")).to_have_count(0)
    for name in ("a.png", "c.png"):
        dock(page).get_by_role("button", name=f"Remove {name}").click()
    field.fill("What is")
    field.press("Shift+Enter")
    field.type("this?")
    field.press("Enter")

    expect(field).to_have_value("")
    expect(transcript(page).get_by_text("You said: What is")).to_contain_text("with 1 pictures")
    picture, words = world.noted("said.jsonl")[-1]["message"]["content"]
    assert picture["source"] == {"type": "base64", "media_type": "image/png", "data": PIXEL}
    assert words["text"] == "What is\nthis?"
    expect(dock(page).get_by_role("img")).to_have_count(0)


def card(page: Page) -> Locator:
    return page.get_by_role("region", name="Waiting for you").locator("[data-approval]").last


def test_what_it_asks_is_answered_below_its_words(page, world):
    """A command, questions and a plan each get a card; the client receives the signed decision."""
    become_approver(page)
    page.goto("/")
    start(page, "ask for it")
    stands(page, "Waiting for you")
    expect(card(page)).to_contain_text("rm -rf rust")
    press(card(page).get_by_role("button", name="Approve"))
    expect(transcript(page).get_by_text("As you wish.")).to_be_visible()
    assert world.noted("answers.jsonl")[-1]["behavior"] == "allow"

    say(page, "question me")
    expect(card(page).get_by_role("group")).to_have_count(2)
    sends = card(page).get_by_role("button", name="Send the answers")
    expect(sends).to_be_disabled()
    expect(card(page)).to_contain_text("Which colour <b>shall</b> it have?")
    expect(card(page)).to_contain_text("as the port side")
    card(page).get_by_label("Green").check()
    card(page).get_by_label("Monday").check()
    expect(card(page)).not_to_contain_text("Answer each question")
    days = card(page).get_by_role("group", name="Which days?")
    days.get_by_label("Other", exact=True).check()
    days.get_by_label("Your own answer").fill("Sunday")
    press(sends)
    expect(card(page)).to_contain_text("Answered")
    until(lambda: len(world.noted("answers.jsonl")) == 2)
    assert world.noted("answers.jsonl")[-1] == {
        "behavior": "allow",
        "updatedInput": {
            "questions": actor.QUESTIONS,
            "answers": {"Which colour <b>shall</b> it have?": "Green", "Which days?": "Monday, Sunday"},
        },
    }

    say(page, "plan it")
    expect(card(page).get_by_role("button", name="Approve the plan")).to_be_visible()
    expect(card(page).locator(".plan strong")).to_have_text("paint")
    expect(card(page).locator(".plan")).to_contain_text("<img src=x onerror=alert(1)>")
    expect(card(page).locator(".approval-content .code-box")).to_have_count(0)
    card(page).get_by_role("button", name="Keep planning, because").click()
    page.get_by_placeholder("What is missing").fill("the boat leaks")
    press(card(page).get_by_role("button", name="Keep planning and tell the agent"))
    expect(transcript(page).get_by_text("Then not: the boat leaks")).to_be_visible()
    assert world.noted("answers.jsonl")[-1] == {"behavior": "deny", "message": "the boat leaks"}


HOSTILE = "<img src=x onerror='window.hit=1'> \u202egnihton\u2066 **bold**"


def test_a_turn_is_interrupted_what_waits_is_seen_and_the_run_is_stopped(page, world):
    """Messages to a working agent are queued and shown as text; Escape ends the turn, and two presses end the run."""
    start(page, "work on it")
    stands(page, "At work")
    dock(page).get_by_label("Later").check()
    say(page, HOSTILE)
    queued = dock(page).get_by_role("list", name="Queued messages")
    expect(queued).to_contain_text("<img src=x onerror='window.hit=1'> \\u{202e}gnihton")
    until(lambda: len(world.noted("said.jsonl")) == 2)
    assert world.noted("said.jsonl")[-1]["priority"] == "later"
    expect(dock(page).get_by_label("Later")).not_to_be_checked()
    page.get_by_label("Message to the agent").press("Escape")
    expect(transcript(page).get_by_text("You said: <img")).to_be_visible()
    expect(queued).to_have_count(0)
    stands(page, "Waits for your next message")
    assert [each["subtype"] for each in world.noted("asked.jsonl")] == ["initialize", "interrupt"]
    page.get_by_label("Message to the agent").press("Escape")
    expect(page.get_by_label("Message to the agent")).not_to_be_focused()

    dock(page).get_by_role("button", name="Model and mode").click()
    dock(page).get_by_role("button", name="Plan first").click()
    expect(dock(page).get_by_role("button", name="Model and mode")).to_contain_text("plan first")
    dock(page).get_by_label("Another model").fill("haiku")
    dock(page).get_by_role("button", name="Change model").click()
    expect(dock(page)).to_contain_text("haiku from the next message on")
    assert [each["subtype"] for each in world.noted("asked.jsonl")][2:] == ["set_permission_mode", "set_model"]

    say(page, "work more")
    stands(page, "At work")
    expect(dock(page)).not_to_contain_text("from the next message on")
    dock(page).get_by_role("button", name="Interrupt").click()
    stands(page, "Waits for your next message")
    dock(page).get_by_role("button", name="Stop").dblclick()
    again = dock(page).get_by_role("button", name="Press again to stop it")
    expect(again).to_be_visible()
    page.wait_for_timeout(500)
    again.click()
    expect(dock(page)).to_contain_text("The agent ended:")
    expect(page.get_by_label("Message to go on with")).to_be_visible()
    assert page.evaluate("window.hit") is None


def test_a_kept_conversation_is_gone_on_with(page, world, watch):
    """A typed message survives other pages, reloads and refusals until it is sent and resumes the conversation."""
    watch.expect("409")
    open_session(page, KEPT)
    field = page.get_by_label("Message to go on with")
    expect(field).to_be_visible()
    expect(dock(page).get_by_role("button", name="Resume")).to_have_count(0)
    page.keyboard.press("m")
    expect(field).to_be_focused()
    field.fill("And on Sunday?")
    page.goto("/")
    page.goto(address_of(page, KEPT))
    expect(field).to_have_value("And on Sunday?")
    page.reload()
    expect(field).to_have_value("And on Sunday?")

    world.settle("/nowhere/claude")
    field.press("Enter")
    expect(dock(page).get_by_role("alert")).to_contain_text("/nowhere/claude")
    expect(field).to_have_value("And on Sunday?")
    world.settle(world.client)
    dock(page).get_by_role("button", name="Resume").click()

    expect(transcript(page).get_by_text("You said: And on Sunday?")).to_be_visible()
    expect(page.get_by_label("Message to the agent")).to_have_value("")
    assert f"--resume={KEPT}" in world.arguments()
    assert "--fork-session" not in world.arguments()
    assert KEPT in page.url


def test_a_refusal_is_shown_when_it_comes(page, world, watch):
    """If a folder brings unreviewed settings, the page shows the server's refusal and keeps what was typed."""
    watch.expect("409")
    (world.work / ".mcp.json").write_text('{"mcpServers": {"spy": {"command": "sh"}}}')
    field = to_new(page)
    field.fill("Go.")
    page.get_by_label("Model", exact=True).select_option("opus")
    page.keyboard.press("Control+Enter")
    field.press("Control+Enter")
    told = page.get_by_role("alert")
    expect(told).to_contain_text("nobody has reviewed")
    expect(told.locator("code").filter(has_text="chorus workspace trust")).to_be_visible()
    expect(field).to_have_value("Go.")
    expect(page.get_by_label("Model", exact=True)).to_have_value("opus")


def test_a_fork_goes_on_after_a_message(page, world):
    """A fork from a message continues in a copy with an id of its own, and the original does not change."""
    rows = open_session(page, KEPT)
    expect(page.get_by_role("heading", name="How high is the <b>tide</b>?")).to_be_visible()
    answer = rows.locator("article").filter(has_text="Two metres.")
    act_on(answer, "Fork from here")
    field = page.get_by_label("First message of the fork")
    expect(field).to_be_focused()
    expect(dock(page)).to_contain_text("Fork after “Two metres.”")
    field.press("Escape")
    expect(field).to_have_count(0)
    act_on(answer, "Fork from here")
    field.fill("And at noon?")
    field.press("Enter")

    expect(transcript(page).get_by_text("You said: And at noon?")).to_be_visible()
    assert KEPT not in page.url
    uuids = [line["uuid"] for line in world.kept.lines if line.get("type") == "assistant"]
    assert {f"--resume={KEPT}", "--fork-session", f"--resume-session-at={uuids[0]}"} <= set(world.arguments())


def test_a_session_open_in_a_terminal_can_only_be_forked(page, world):
    """The page says that a session is open in a terminal, and offers only a fork."""
    at = entries.put(world.serving.claude, entries.entry(session=KEPT, status="idle"))
    try:
        open_session(page, KEPT)
        expect(dock(page)).to_contain_text("Open in a terminal")
        expect(page.get_by_label("Message to go on with")).to_have_count(0)
        dock(page).get_by_role("button", name="Fork").click()
        field = page.get_by_label("Message to go on with")
        expect(field).to_be_focused()
        field.fill("In a copy.")
        field.press("Enter")
        expect(transcript(page).get_by_text("You said: In a copy.")).to_be_visible()
        assert "--fork-session" in world.arguments()
    finally:
        at.unlink()


def test_a_client_that_fails_says_why(page, world):
    """The error of a failed client appears as text on its page and in the list, and the conversation can be resumed."""
    start(page, "fail please")
    expect(dock(page).get_by_role("status").first).to_contain_text("the <b>boiler</b> burst \\u{202e}back")
    expect(dock(page).get_by_text("The agent failed")).to_be_visible()
    expect(page.get_by_label("Message to go on with")).to_be_visible()
    page.goto("/")
    expect(listed(page).filter(has_text="run failed").get_by_text("Failed", exact=True)).not_to_have_count(0)


def test_without_a_client_or_a_folder_the_page_says_what_to_do(page, world):
    """The page says at once that a client or a folder is missing, and continues by itself as soon as it exists."""
    world.settle("/nowhere/claude")
    expect(listed(page).first).to_be_visible()
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Jump to").fill("start an")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("/nowhere/claude")
    page.get_by_label("What is to be done").fill("Go.")
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_disabled()
    world.settle(world.client)
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_enabled()

    page.route("**/api/places", lambda route: route.fulfill(json={"places": [], "trouble": ""}))
    page.reload()
    expect(page.get_by_role("heading", name="No folder to work in yet")).to_be_visible()
    expect(page.locator("code").filter(has_text="chorus workspace add .")).to_be_visible()
    page.unroute("**/api/places")
    expect(page.get_by_label("What is to be done")).to_have_value("Go.")


@pytest.mark.parametrize("theme", ["light", "dark"])
class TestLooks:
    """Tests the pages on a phone, in both themes."""

    @pytest.fixture
    def settings(self, theme):
        return phone(theme)

    def test_pages_fit_and_have_no_serious_findings(self, page, world, axe):
        """Starting, working, asking, the list and resuming fit in 360 points and have no serious findings."""
        found = {}
        page.get_by_role("link", name="Start an agent").tap()
        field = page.get_by_label("What is to be done")
        field.fill("work on it")
        fits(page)
        found["new"] = axe(page)
        page.get_by_role("button", name="Start", exact=True).tap()
        stands(page, "At work")
        expect(transcript(page).get_by_text("At it.")).to_be_visible()
        page.get_by_label("Message to the agent").fill("Then the other side.")
        dock(page).get_by_role("button", name="Send").tap()
        expect(dock(page).get_by_role("list", name="Queued messages")).to_be_visible()
        dock(page).get_by_role("button", name="Model and mode").tap()
        fits(page)
        found["at work"] = axe(page)
        dock(page).get_by_role("button", name="Interrupt").tap()
        stands(page, "Waits for your next message")
        page.get_by_label("Message to the agent").fill("question me")
        dock(page).get_by_role("button", name="Send").tap()
        expect(card(page)).to_contain_text("Which days?")
        fits(page)
        found["asking"] = axe(page)
        to_list(page)
        expect(listed(page).first).to_be_visible()
        fits(page)
        found["list"] = axe(page)
        open_session(page, KEPT)
        page.get_by_label("Message to go on with").tap()
        fits(page)
        found["resume"] = axe(page)

        assert {name: lines for name, lines in found.items() if lines} == {}


class RealServing(Serving):
    """A server whose agents are the real client, with a scripted API to talk to."""

    def __init__(self, folder: Path, api: ScriptedApi) -> None:
        client = Client(folder, api.url)
        super().__init__(folder)
        self.more = {name: value for name, value in client.environment.items() if name != "HOME"}
        passed = [name for name in self.more if name.startswith(("ANTHROPIC_BASE_URL", "CLAUDE_CODE_", "DISABLE_"))]
        work = client.workspace.resolve()
        place = {"id": workspace_id(str(work)), "path": str(work), "agents": [{"name": "ada", "environment": passed}]}
        self.vault.mkdir(mode=0o700)
        (self.vault / "config.json").write_text(json.dumps({"client": str(client.binary), "workspaces": [place]}))

    def environment(self) -> dict[str, str]:
        return super().environment() | self.more


class TestRealClient:
    """Tests the real client; skipped if it is not available."""

    @pytest.fixture
    def api(self):
        command = {"command": "touch rope.txt", "description": "Make a rope"}
        made = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": command}
        slow = {"type": "tool_use", "id": "toolu_2", "name": "Bash", "input": {**command, "command": "touch two.txt"}}
        last = {"type": "text", "text": "Never said."}
        with ScriptedApi([made], [{"type": "text", "text": "The rope is **made**."}], [slow], [last]) as running:
            yield running

    @pytest.fixture
    def serving(self, tmp_path, api, built):
        try:
            server = RealServing(tmp_path, api)
        except Unavailable as reason:
            pytest.skip(str(reason))
        server.start()
        yield server
        for folder, _ in Runs(server.vault).living():
            end(folder)
        server.kill()

    def test_it_is_started_answered_interrupted_and_forked(self, page, serving, api, tmp_path):
        """The real client is started, allowed a command, interrupted, and forked from two places."""
        become_approver(page)
        page.goto("/new")
        page.get_by_label("What is to be done").fill("Make a rope.")
        page.get_by_label("Agent").select_option("ada")
        page.get_by_role("button", name="Start", exact=True).click()
        expect(card(page)).to_contain_text("touch rope.txt", timeout=60_000)
        press(card(page).get_by_role("button", name="Approve"))
        expect(transcript(page).get_by_text("The rope is made.")).to_be_visible(timeout=30_000)
        assert (tmp_path / "work" / "rope.txt").exists()
        stands(page, "Waits for your next message")

        say(page, "And another.")
        expect(card(page)).to_contain_text("two.txt")
        stands(page, "Waiting for you")
        page.get_by_label("Message to the agent").press("Escape")
        stands(page, "Waits for your next message")
        expect(card(page)).to_contain_text("Withdrawn")
        expect(transcript(page).get_by_text("And another.")).to_have_count(1)
        assert not (tmp_path / "work" / "two.txt").exists()

        for words in ("touch rope.txt", "Make a rope."):
            origin = page.url
            row = transcript(page).locator("article").filter(has_text=words).first
            act_on(row, "Fork from here")
            page.get_by_label("First message of the fork").fill("Another way.")
            page.get_by_label("First message of the fork").press("Enter")
            page.wait_for_url(lambda url, origin=origin: url != origin)
            expect(transcript(page).get_by_text("Never said.")).to_be_visible(timeout=30_000)
            sent = "".join(api.prompts())
            assert "Make a rope." in sent
            assert "Another way." in sent
            assert ("touch rope.txt" in sent) == (words == "touch rope.txt")
            assert "The rope is **made**" not in sent
            page.goto(origin)
            expect(transcript(page).locator("article").first).to_be_visible()
