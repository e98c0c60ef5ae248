"""Tests that the decision of an approver takes effect exactly once, even when several people answer."""

import json

import pytest
from playwright.sync_api import Route, expect

from chorus.steer.approvals.model import Answered
from tests.e2e.approvals.cards import ANYTHING, RULE, allowed, approve, card, press, to_inbox
from tests.e2e.support import worlds
from tests.e2e.support.opening import name_of, open_session

HOSTILE = (
    "echo '<img src=x onerror=\"window.hit=1\"><script>window.hit=1</script>' \u202e\u200b\x1b[2J"
    " [x](javascript:window.hit=1) `${window.hit=1}` \U0001f600\u2028"
)


@pytest.fixture
def person(contexts, laptop):
    return contexts.join(laptop)


def test_what_is_changed_is_what_runs(page, agent):
    """A changed input is shown before it is approved and sent as written, and only ticked suggestions are taken."""
    to_inbox(page)
    request = agent.ask("rm -rf build", suggestions=(RULE, ANYTHING))
    boxes = card(page, request).get_by_role("checkbox")
    expect(boxes).to_have_count(2)
    expect(boxes.nth(0)).not_to_be_checked()
    expect(boxes.nth(1)).not_to_be_checked()
    expect(card(page, request).get_by_text("reaches far")).to_have_count(2)
    boxes.nth(0).check()

    card(page, request).get_by_role("button", name="Edit input").click()
    field = page.get_by_label("Input, as JSON")
    expect(field).to_have_value(request.input)
    field.fill('["rm"]')
    expect(card(page, request)).to_contain_text("one JSON object")
    expect(approve(page, request)).to_be_disabled()
    changed = '{"command":  "rm -r \U0001f600 build"}'
    field.fill(changed)
    expect(page.get_by_label("What would run")).to_have_text(changed, use_inner_text=True)
    press(card(page, request).get_by_role("button", name="Approve the changed input"))

    expect(card(page, request)).to_contain_text("Approved with a changed input")
    answer = allowed(agent, request)
    assert answer.input == changed
    assert [json.loads(each) for each in answer.suggestions] == [RULE]


@pytest.mark.parametrize("ending", ["denied", "withdrawn"])
def test_the_second_person_to_answer_sees_who_was_faster(page, agent, watch, ending):
    """An answer that comes too late changes nothing, and the card says what became of the request."""
    watch.expect(r"status of 4(09|10)")
    to_inbox(page)
    request = agent.ask()

    def be_faster(route: Route) -> None:
        if ending == "denied":
            agent.deny_elsewhere(request, "no")
        else:
            agent.ledger.withdraw(request.id, "the agent was stopped")
        route.continue_()

    page.route("**/api/approvals/*", be_faster)
    press(approve(page, request))

    if ending == "denied":
        expect(card(page, request)).to_contain_text("Denied in the terminal")
        expect(card(page, request)).to_contain_text("Somebody was faster: your answer was not accepted.")
    else:
        expect(card(page, request)).to_contain_text("Withdrawn: the agent was stopped")
        expect(card(page, request)).to_contain_text("It was over before your answer came: nothing was allowed.")
    expect(approve(page, request)).to_have_count(0)
    assert agent.row(request).state == ending
    expect(card(page, request)).to_be_focused()


def test_an_answer_is_sent_and_then_took_effect_or_came_too_late(page, agent):
    """The card first says that an answer was sent, and then whether it took effect or came too late."""
    to_inbox(page)
    first, second = agent.ask("echo one"), agent.ask("echo two")
    for request in (first, second):
        press(card(page, request).get_by_role("button", name="Deny", exact=True))
        expect(card(page, request)).to_contain_text("· sent")
    agent.ledger.took_effect(first.id)
    agent.ledger.answered(second.id, Answered("allow", "terminal"))

    expect(card(page, first)).to_contain_text("· took effect")
    expect(card(page, second)).to_contain_text("Answered in the terminal: allowed")
    expect(card(page, second)).to_contain_text("· too late")
    expect(card(page, second)).not_to_contain_text("Denied")


def test_an_answer_that_does_not_hold_is_not_taken(page, agent, watch):
    """An answer whose signature is not that of its approver is refused, and the card can still be answered."""
    watch.expect("status of 403")
    to_inbox(page)
    request = agent.ask()
    page.route(
        "**/api/approvals/*",
        lambda route: route.continue_(post_data=json.dumps(route.request.post_data_json | {"approver": "0" * 32})),
    )
    press(approve(page, request))

    expect(card(page, request).get_by_role("alert")).to_contain_text("Not taken")
    assert agent.row(request).is_pending
    page.unroute("**/api/approvals/*")
    press(approve(page, request))
    expect(card(page, request)).to_contain_text("Approved")


def test_hostile_text_stays_text(page, agent):
    """No markup runs on a card, and characters that hide or reorder text are written as codes."""
    to_inbox(page)
    given = {"command": HOSTILE, "description": HOSTILE, "extra": HOSTILE}
    request = agent.ask(
        given=given, conversation=f"a/b/{HOSTILE[:20]}", suggestions=({"type": HOSTILE},), agent=HOSTILE
    )
    shown = card(page, request)
    expect(shown).to_contain_text("onerror")
    for written in ("\\u{202e}", "\\u{200b}", "\\e[2J", "\\u{2028}"):
        expect(shown).to_contain_text(written)
    shown.get_by_role("button", name="Whole input").click()
    expect(shown.get_by_role("group", name="JSON")).to_be_visible()
    shown.get_by_role("button", name="Edit input").click()
    page.get_by_label("Input, as JSON").fill(json.dumps({"command": HOSTILE, "more": 1}, ensure_ascii=False))
    expect(page.get_by_label("What would run")).to_contain_text("\\u{202e}")
    press(approve(page, request))
    expect(shown).to_contain_text("Approved")
    assert json.loads(allowed(agent, request).input or "") == {"command": HOSTILE, "more": 1}

    other = agent.ask(tool="<b>Tool</b>", given={"a": HOSTILE})
    expect(card(page, other)).to_contain_text("<b>Tool</b>")
    agent.deny_elsewhere(other, HOSTILE)
    expect(card(page, other)).to_contain_text("onerror")
    assert page.evaluate("window.hit") is None
    assert page.locator("main img, main script, main b").count() == 0


def test_nothing_of_the_transcript_lies_over_what_waits(page, agent):
    """The marks of the transcript end where the card begins, and cover none of its buttons."""
    to_inbox(page)
    agent.ask("\n".join(f"echo {number}" for number in range(30)), conversation=name_of(page, worlds.LONG))
    open_session(page, worlds.LONG)
    dock = page.get_by_role("region", name="Waiting for you")
    expect(dock.get_by_role("article")).to_be_visible()
    marks, below = page.locator(".minimap").bounding_box(), dock.bounding_box()
    assert marks is not None
    assert below is not None
    assert marks["y"] + marks["height"] <= below["y"]


def test_a_request_of_a_session_that_is_not_kept_yet_stands_below_it(page, agent):
    """A request that names no conversation appears below the conversation of its session."""
    request = agent.ask(session=worlds.EDITS)
    elsewhere = agent.ask(session=worlds.LIVE)
    open_session(page, worlds.EDITS)

    dock = page.get_by_role("region", name="Waiting for you")
    expect(dock.get_by_role("article")).to_have_count(1)
    expect(card(page, elsewhere)).to_have_count(0)
    press(approve(page, request))
    allowed(agent, request)


def test_requests_stand_below_their_conversation(page, agent):
    """The list marks a conversation that waits for a person, and the card below its transcript takes the answer."""
    to_inbox(page)
    name = name_of(page, worlds.EDITS)
    request = agent.ask(conversation=name)
    elsewhere = agent.ask(conversation=name_of(page, worlds.LIVE))
    page.get_by_role("link", name="Conversations").click()
    row = page.locator(f'[data-conversation="{name}"]')
    expect(row).to_contain_text("Waiting for you")
    expect(page.locator(f'[data-conversation$="{worlds.AGENTS}"]')).not_to_contain_text("Waiting for you")
    row.click()

    dock = page.get_by_role("region", name="Waiting for you")
    expect(dock.get_by_role("article")).to_have_count(1)
    expect(card(page, elsewhere)).to_have_count(0)
    press(approve(page, request))
    expect(dock).to_contain_text("Approved by Ada's laptop")
    allowed(agent, request)
    dock.get_by_role("button", name="Dismiss").click()
    expect(dock).to_have_count(0)


def test_what_is_being_typed_on_a_card_outlives_the_page_around_it(page, agent):
    """A text that is being typed on a card remains when another thread of the conversation is opened."""
    to_inbox(page)
    request = agent.ask(conversation=name_of(page, worlds.AGENTS))
    messages = open_session(page, worlds.AGENTS)
    card(page, request).get_by_role("button", name="Deny with a message").click()
    field = card(page, request).get_by_label("Message to the agent")
    field.fill("Not this.")
    messages.get_by_label("Sub-agent general-purpose").get_by_role("button", name="Open thread").click()
    expect(page.get_by_role("navigation", name="Threads")).to_be_visible()

    expect(field).to_have_value("Not this.")
