"""Tests that new records appear at once, without a reload and without moving what the reader looks at."""

import re
from datetime import timedelta

from playwright.sync_api import expect

from chorus.testing.builders import tool_use
from tests.e2e.support import worlds
from tests.e2e.support.growing import going_on, path_of
from tests.e2e.support.opening import listed, open_call, open_session
from tests.steer.clients.entries import entry, put

LEFT = "((box) => box.scrollHeight - box.scrollTop - box.clientHeight)(document.querySelector('.message-scroller'))"
"""How far the end is below what is seen."""
FRAME = "() => new Promise((done) => requestAnimationFrame(done))"
NEW = "e2e00009-0000-4000-8000-000000000001"


def ids(page):
    names = [each.get_attribute("data-conversation") or "" for each in listed(page).all()]
    return [name.rsplit("/", 1)[-1] for name in names]


def test_a_line_appears_in_the_open_transcript_and_its_status_changes(page, serving):
    """An appended line appears in the open transcript, and the header changes from running to done."""
    messages = open_session(page, worlds.LIVE)
    header = page.locator(".session-header")
    expect(header).to_contain_text("Running")
    page.evaluate("window.untouched = true")
    session = going_on(serving, worlds.LIVE)
    session.tool_result("toolu_live1", "3 passed")
    session.assistant("All lights blink in step.", stop="end_turn")
    serving.append(path_of(serving, worlds.LIVE), session.lines)

    expect(messages.get_by_text("All lights blink in step.")).to_be_visible()
    expect(messages.get_by_text("All lights blink in step.")).to_have_count(1)
    expect(header).to_contain_text("Done")
    assert page.evaluate("window.untouched") is True


def test_the_list_moves_with_what_happens(page, serving):
    """A conversation with new records moves up with its new status, and a new session appears, without a reload."""
    expect(listed(page)).to_have_count(5)
    assert ids(page)[-1] == worlds.LONG
    page.evaluate("window.untouched = true")
    session = going_on(serving, worlds.LONG)
    session.user("And on day forty-one?")
    session.assistant({"type": "tool_use", "id": "toolu_day41", "name": "Read", "input": {"file_path": "/log/41"}})
    serving.append(path_of(serving, worlds.LONG), session.lines)
    row = page.locator(f'[data-conversation$="{worlds.LONG}"]')
    expect(row).to_contain_text("Reading")
    assert ids(page).index(worlds.LONG) <= 1

    fresh = worlds.session(NEW, ago=timedelta(seconds=2))
    fresh.user("Paint the lighthouse red.")
    fresh.assistant("Which red?", stop="end_turn")
    serving.write(fresh)
    expect(page.locator(f'[data-conversation$="{NEW}"]')).to_contain_text("Paint the lighthouse red.")
    expect(listed(page)).to_have_count(6)
    assert page.evaluate("window.untouched") is True


def test_the_end_is_followed_only_by_who_is_there(page, serving):
    """At the end the view follows new messages; further up it does not move, and a button shows how many are new."""
    messages = open_session(page, worlds.LONG)
    scroller = page.locator(".message-scroller")
    path = path_of(serving, worlds.LONG)
    session = going_on(serving, worlds.LONG)
    serving.append(path, [session.user("And on day forty-one?")])
    expect(messages.get_by_text("And on day forty-one?")).to_be_in_viewport()

    scroller.hover()
    for _ in range(8):
        page.mouse.wheel(0, -400)
        page.evaluate(FRAME)
    page.wait_for_function(f"() => {LEFT} > 500")
    expect(messages.get_by_text("And on day forty-one?")).not_to_be_in_viewport()
    place = """() => {
      const row = document.elementFromPoint(640, 400).closest('article')
      return [row.id, Math.round(row.getBoundingClientRect().top)]
    }"""
    before = page.evaluate(place)
    serving.append(path, session.assistant("Fog, all day.", "And no wind.", stop="end_turn"))
    pill = page.get_by_role("button", name=re.compile(r"^\d+ new"))
    expect(pill).to_be_visible()
    assert page.evaluate(place) == before
    expect(messages.get_by_text("And no wind.")).not_to_be_in_viewport()
    pill.click()

    expect(messages.get_by_text("And no wind.")).to_be_in_viewport()
    expect(pill).to_have_count(0)


def test_who_turns_the_wheel_just_then_is_let_go(page, serving):
    """A reader who turns the wheel right after a line arrived is not pulled back to the end."""
    path = path_of(serving, worlds.LONG)
    for number in range(6):
        messages = open_session(page, worlds.LONG)
        serving.append(path, [going_on(serving, worlds.LONG).user(f"Entry {number} of the night.")])
        expect(messages.get_by_text(f"Entry {number} of the night.")).to_be_in_viewport()
        page.locator(".message-scroller").hover()
        page.mouse.wheel(0, -2_000)

        page.wait_for_function(f"() => {LEFT} > 500")


def test_what_was_loaded_whole_stays_whole(page, serving):
    """A long output that the reader loaded stays loaded when its message grows or is read again in part."""
    session = worlds.session(NEW, ago=timedelta(seconds=2))
    session.user("Count the gulls, and the boats.")
    session.assistant(
        tool_use("Bash", {"command": "gulls"}, id="toolu_gulls"),
        tool_use("Bash", {"command": "boats"}, id="toolu_boats"),
    )
    session.tool_result("toolu_gulls", "\n".join(f"gull {number} " + "screams " * 10 for number in range(3_000)))
    serving.write(session)
    expect(page.locator(f'[data-conversation$="{NEW}"]')).to_be_visible()
    open_session(page, NEW)
    gulls = open_call(page, "toolu_gulls")
    gulls.get_by_role("button", name=re.compile("^Load .* more")).click()
    gulls.get_by_role("button", name=re.compile("more lines")).click()
    expect(gulls.get_by_text("gull 1500 ")).to_be_attached()
    on = going_on(serving, NEW)
    serving.append(path_of(serving, NEW), [on.tool_result("toolu_boats", "seven boats")])

    expect(open_call(page, "toolu_boats").get_by_text("seven boats").first).to_be_visible()
    expect(gulls.get_by_text("gull 1500 ")).to_be_attached()

    with page.expect_response(re.compile("/rows")):
        page.get_by_role("button", name="What is shown").click()
        page.get_by_role("switch", name="Internal records").click()
    page.keyboard.press("Escape")
    page.wait_for_timeout(300)
    expect(gulls.get_by_text("gull 1500 ")).to_be_attached()


def test_two_pages_see_the_same(page, contexts, serving):
    """All open pages show new records, in the list and in the transcript."""
    messages = open_session(page, worlds.LIVE)
    other = contexts.make()
    other.add_cookies(serving.cookies)
    beside = other.new_page()
    beside.goto(serving.url + "/")
    expect(listed(beside)).to_have_count(5)
    session = going_on(serving, worlds.LIVE)
    serving.append(path_of(serving, worlds.LIVE), [session.title("Lights in step")])

    expect(page.get_by_role("heading", name="Lights in step")).to_be_visible()
    expect(beside.get_by_text("Lights in step")).to_be_visible()
    expect(messages).to_be_visible()


def test_a_session_that_waits_for_a_person_says_for_what(page, serving):
    """The status in the client's registry appears in the list and above the transcript, and goes with its entry."""
    row = page.locator(f'[data-conversation$="{worlds.EDITS}"]')
    expect(row).to_contain_text("Done")
    entry_of = entry(session=worlds.EDITS, status="waiting", waitingFor="permission prompt")
    path = put(serving.claude, entry_of)
    expect(row).to_contain_text("Waiting for you: permission prompt")
    expect(page).to_have_title(re.compile(r"1"))
    row.click()
    header = page.locator(".session-header")
    expect(header.get_by_text("Waiting for you: permission prompt")).to_be_visible()
    path.unlink()
    expect(header).to_contain_text("Done")
