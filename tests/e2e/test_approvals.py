"""Permission requests in the browser: seen as they are, decided once, on purpose, and by whom may."""

import json
import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from chorus.approvals.approvers import load, pin
from chorus.approvals.model import Request, State
from chorus.approvals.verdict import Verdict
from tests.e2e.support import worlds
from tests.e2e.support.asking import Agent
from tests.e2e.support.entering import log_in
from tests.e2e.support.opening import listed, name_of, open_session
from tests.e2e.test_phone import PHONE, fits

RULE = {
    "type": "addRules",
    "rules": [{"toolName": "Bash", "ruleContent": "rm:*"}],
    "behavior": "allow",
    "destination": "localSettings",
}
ANYTHING = {"type": "setMode", "mode": "bypassPermissions", "destination": "session"}
HOSTILE = (
    "echo '<img src=x onerror=\"window.hit=1\"><script>window.hit=1</script>' \u202e\u200b\x1b[2J"
    " [x](javascript:window.hit=1) `${window.hit=1}` \U0001f600\u2028"
)
KEPT_KEY = """async () => {
  const opened = await new Promise((resolve, reject) => {
    const opening = indexedDB.open('chorus', 1)
    opening.onsuccess = () => resolve(opening.result)
    opening.onerror = () => reject(opening.error)
  })
  const kept = await new Promise((resolve) => {
    const asked = opened.transaction('keys').objectStore('keys').get('approver')
    asked.onsuccess = () => resolve(asked.result)
  })
  opened.close()
  const tried = await crypto.subtle.exportKey('jwk', kept.privateKey).catch((error) => error.name)
  return { extractable: kept.privateKey.extractable, usages: kept.privateKey.usages, tried }
}"""
NOTE_CLICKS = """() => {
  window.clicks = []
  window.addEventListener('click', (event) => window.clicks.push(event.timeStamp), { capture: true })
}"""
UNDER = """([x, y, label]) => {
  const button = document.elementFromPoint(x, y)?.closest('button')
  if (button?.innerText.trim() !== label) return false
  window.cameAt = performance.now()
  return true
}"""
OUT_OF_SIGHT = """card => {
  const edge = card.getBoundingClientRect().right + 1
  const out = []
  const walk = document.createTreeWalker(card.querySelector('.approval-content'), NodeFilter.SHOW_TEXT)
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const range = document.createRange()
    range.selectNodeContents(node)
    if (range.getBoundingClientRect().right > edge) out.push(node.data.slice(0, 40))
  }
  for (const box of card.querySelectorAll('.approval-content *')) {
    if (getComputedStyle(box).overflowY === 'visible') continue
    if (box.clientHeight > 0 && box.scrollHeight > box.clientHeight + 1) out.push(box.className)
  }
  return out
}"""
"""Texts beyond the edge of a card, and boxes of which a part is hidden."""
STILL_MS = 600
"""After so long a card that does not move takes an answer."""
SOON_MS = 400
"""A click so soon after a card came under the pointer must decide nothing."""


@pytest.fixture
def agent(serving) -> Agent:
    return Agent(serving)


def to_inbox(page: Page) -> None:
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Approvals").click()
    expect(page.get_by_role("heading", name="Who may approve")).to_be_visible()


def card(page: Page, request: Request) -> Locator:
    return page.locator(f'[data-approval="{request.id}"]')


def approve(page: Page, request: Request) -> Locator:
    return card(page, request).get_by_role("button", name="Approve")


def become_approver(page: Page, name: str = "Ada's laptop") -> None:
    """The first browser that asks may approve at once."""
    to_inbox(page)
    page.get_by_label("Name of this browser").fill(name)
    page.get_by_role("button", name="Make it an approver").click()
    expect(page.get_by_text("this browser", exact=True)).to_be_visible()


def press(button: Locator) -> None:
    """As somebody does who looks first: what was scrolled there a moment ago takes no press."""
    button.scroll_into_view_if_needed()
    button.page.wait_for_timeout(STILL_MS)
    expect(button).to_be_enabled()
    button.click()


def allowed(agent: Agent, request: Request) -> Verdict:
    answer = agent.answered(request)
    assert isinstance(answer, Verdict), answer
    assert answer.behaviour == "allow"
    return answer


def test_a_request_appears_by_itself(page, agent):
    """A request shows up on the open page, in the tab, the title and the icon, and goes from there when it is over."""
    to_inbox(page)
    expect(page.get_by_text("When an agent asks for a permission, it appears here")).to_be_visible()
    icon = page.locator('link[rel="icon"]')
    plain = icon.get_attribute("href")
    page.evaluate("window.stays = true")
    request = agent.ask("rm -rf build", waits_s=540)

    expect(card(page, request)).to_contain_text("rm -rf build")
    expect(card(page, request)).to_contain_text("/home/dev/harbour")
    expect(card(page, request).get_by_role("list", name="Risks")).to_contain_text("delete")
    expect(card(page, request).get_by_role("timer")).to_contain_text(re.compile(r"8:\d\d"))
    expect(page.get_by_role("link", name="Approvals")).to_contain_text("1")
    expect(page).to_have_title("(1) Approvals · Chorus")
    expect(icon).to_have_attribute("href", re.compile("^blob:"))
    expect(approve(page, request)).not_to_be_focused()

    agent.ledger.withdraw(request.id, "it was answered in the terminal")
    expect(card(page, request)).to_contain_text("Withdrawn: it was answered in the terminal")
    expect(page).to_have_title("Approvals · Chorus")
    expect(icon).to_have_attribute("href", plain or "")
    assert page.evaluate("window.stays")


def test_anybody_may_deny_and_say_why(page, agent):
    """A browser that may not approve can deny; the message reaches the agent, and nothing is signed."""
    to_inbox(page)
    request = agent.ask()
    expect(approve(page, request)).to_be_disabled()
    expect(card(page, request)).to_contain_text("This browser can only deny.")
    card(page, request).get_by_role("button", name="Deny with a message").click()
    page.get_by_label("Message to the agent").fill("Use the clean target.\nAnd “ask” before.")
    press(card(page, request).get_by_role("button", name="Deny and tell the agent"))
    expect(card(page, request)).to_contain_text("Denied")

    row = agent.row(request)
    assert row.state is State.DENIED
    assert row.decision is not None
    assert (row.decision.surface, row.decision.approver) == ("page", None)
    assert agent.answered(request) == Verdict(behaviour="deny", message="Use the clean target.\nAnd “ask” before.")


def test_the_first_browser_becomes_an_approver(page, agent):
    """Its key cannot be taken out of the browser, and what it approves is what the agent's own check accepts."""
    become_approver(page)
    trusted = pin(agent.state)
    request = agent.ask("make -C lights install")
    press(approve(page, request))

    expect(card(page, request)).to_contain_text("Approved by Ada's laptop on the page")
    answer = agent.answered(request, trusted)
    assert isinstance(answer, Verdict)
    assert (answer.behaviour, answer.input, answer.suggestions) == ("allow", None, ())
    assert list(load(agent.state).valid) == [answer.approver]
    kept = page.evaluate(KEPT_KEY)
    assert kept == {"extractable": False, "usages": ["sign"], "tried": "InvalidAccessError"}


def test_what_is_changed_is_what_runs(page, agent):
    """A changed input is sent as it was written, shown before, and only what was ticked is taken along."""
    become_approver(page)
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
def test_who_comes_second_is_told_who_was_faster(page, agent, watch, ending):
    """An answer that comes too late changes nothing, and the card says what became of the request."""
    watch.expect(r"status of 4(09|10)")
    become_approver(page)
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
        expect(card(page, request)).to_contain_text("Somebody was faster: your answer was not taken.")
    else:
        expect(card(page, request)).to_contain_text("Withdrawn: the agent was stopped")
        expect(card(page, request)).to_contain_text("It was over before your answer came: nothing was allowed.")
    expect(approve(page, request)).to_have_count(0)
    assert agent.row(request).state == ending
    expect(card(page, request)).to_be_focused()


def test_a_card_that_slides_under_the_pointer_decides_nothing(page, agent):
    """Where a card came to stand a moment ago, a click neither approves nor denies; a while later it does."""
    become_approver(page)
    measured = agent.ask("true first")
    expect(card(page, measured)).to_be_visible()
    agent.ledger.withdraw(measured.id, "over")
    expect(card(page, measured)).to_contain_text("Withdrawn")
    low = height(card(page, measured))
    put_away(page)
    page.evaluate(NOTE_CLICKS)
    struck = 0
    for _ in range(4):
        first, second = agent.ask("true first"), agent.ask("true second")
        button = card(page, second).get_by_role("button", name="Deny", exact=True)
        expect(button).to_be_enabled()
        gone = height(card(page, first)) - low
        at = center(button)
        place = (at[0], at[1] - gone)
        page.mouse.move(*place)
        agent.ledger.withdraw(first.id, "over")
        page.wait_for_function(UNDER, arg=[*place, "Deny"], polling="raf")
        page.mouse.click(*place)
        page.mouse.click(*place, click_count=2)
        soon = page.evaluate("window.clicks.at(-1) - window.cameAt")
        if soon < SOON_MS:
            struck += 1
            assert agent.row(second).is_pending
        agent.ledger.withdraw(second.id, "over")
        expect(card(page, second)).to_contain_text("Withdrawn")
        put_away(page)
    assert struck > 0, "the machine was too slow to strike in time"

    last = agent.ask("true last")
    expect(card(page, last).get_by_role("button", name="Deny", exact=True)).to_be_enabled()
    page.mouse.click(*center(card(page, last).get_by_role("button", name="Deny", exact=True)))
    expect(card(page, last)).to_contain_text("Denied")


def test_a_card_that_appears_under_the_pointer_decides_nothing(page, agent):
    """A card that is put where somebody clicks is not decided by those clicks."""
    become_approver(page)
    first = agent.ask()
    expect(approve(page, first)).to_be_enabled()
    place = center(approve(page, first))
    agent.ledger.withdraw(first.id, "over")
    expect(card(page, first)).to_contain_text("Withdrawn")
    put_away(page)
    page.evaluate(NOTE_CLICKS)
    struck = 0
    for _ in range(4):
        request = agent.ask()
        page.wait_for_function(UNDER, arg=[*place, "Approve"], polling="raf")
        page.mouse.click(*place)
        if page.evaluate("window.clicks.at(-1) - window.cameAt") < SOON_MS:
            struck += 1
            assert agent.row(request).is_pending
        agent.ledger.withdraw(request.id, "over")
        expect(card(page, request)).to_contain_text(re.compile("Withdrawn|Approved"))
        put_away(page)
    assert struck > 0, "the machine was too slow to strike in time"


def test_a_double_click_decides_once(page, agent):
    """Two quick clicks on the first of two cards decide that one; the second stays as it is."""
    become_approver(page)
    first, second = agent.ask("true first"), agent.ask("true second")
    expect(approve(page, first)).to_be_enabled()
    page.mouse.dblclick(*center(approve(page, first)))

    expect(card(page, first)).to_contain_text("Approved")
    allowed(agent, first)
    assert agent.row(second).is_pending


def test_a_key_that_is_held_down_decides_nothing(page, agent):
    """Keys reach every answer; one that was pressed elsewhere and is still down does not count, a fresh one does."""
    become_approver(page)
    request = agent.ask()
    expect(approve(page, request)).to_be_enabled()
    for key in ("Enter", "Space"):
        page.evaluate("document.activeElement.blur()")
        page.keyboard.down(key)
        approve(page, request).focus()
        page.keyboard.down(key)
        page.keyboard.down(key)
        page.keyboard.up(key)
    assert agent.row(request).is_pending

    card(page, request).get_by_role("button", name="Edit input").focus()
    for _ in range(3):
        page.keyboard.press("Shift+Tab")
    expect(approve(page, request)).to_be_focused()
    expect(approve(page, request)).to_be_enabled()
    page.keyboard.press("Enter")
    expect(card(page, request)).to_contain_text("Approved")
    expect(card(page, request)).to_be_focused()
    allowed(agent, request)


def test_a_long_command_is_read_to_its_end(page, agent):
    """Approve waits until the last line was in sight, and where lines are left out, until they are shown."""
    become_approver(page)
    many = "\n".join(f"echo {number} > /dev/null" for number in range(2500)) + "\nrm -rf /home/dev"
    request = agent.ask(many)
    expect(card(page, request)).to_contain_text("Not all of it is shown")
    expect(approve(page, request)).to_be_disabled()
    approve(page, request).scroll_into_view_if_needed()
    page.wait_for_timeout(700)
    expect(approve(page, request)).to_be_disabled()
    card(page, request).get_by_role("button", name="more lines").click()
    expect(card(page, request)).to_contain_text("rm -rf /home/dev")
    approve(page, request).scroll_into_view_if_needed()
    expect(approve(page, request)).to_be_enabled()

    page.locator(".approvals-page").evaluate("box => box.scrollTo(0, 0)")
    tall = agent.ask("\n".join(f"echo {number}" for number in range(300)))
    agent.ledger.withdraw(request.id, "over")
    expect(card(page, request)).to_contain_text("Withdrawn")
    expect(card(page, tall)).to_contain_text("Read to the end to approve it.")
    expect(approve(page, tall)).to_be_disabled()
    approve(page, tall).scroll_into_view_if_needed()
    expect(approve(page, tall)).to_be_enabled()


def test_nothing_is_out_of_sight_beside_a_card(page, agent):
    """Whatever the tool, a very long line is wrapped, so that its tail stands in the card."""
    to_inbox(page)
    long = "a" * 5_000 + "evil.example"
    asked = [
        agent.ask(f"echo {long}", given={"command": f"echo {long}", "timeout": long, "description": long}),
        agent.ask(tool="Edit", given={"file_path": f"/{long}", "old_string": f"{long} 1", "new_string": f"{long} 2"}),
        agent.ask(tool="Write", given={"file_path": f"/{long}.py", "content": f"x = 1\n{long}"}),
        agent.ask(tool="WebFetch", given={"url": f"https://evil.example/{long}", "prompt": long}),
        agent.ask(tool="mcp__x__y", given={"deep": [[[long]] * 90], "flat": long}),
        agent.ask(
            tool="Task", given={"description": long, "prompt": f"| a |\n|---|\n| {long} |", "subagent_type": long}
        ),
    ]
    for request in asked:
        expect(card(page, request)).to_contain_text("evil.example")
        assert card(page, request).evaluate(OUT_OF_SIGHT) == []
        expect(card(page, request)).not_to_contain_text("Not all of it is shown")


def test_hostile_text_stays_text(page, agent):
    """Markup runs nowhere on a card, and what hides or turns text is written out."""
    become_approver(page)
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


def test_a_second_browser_waits_until_it_is_admitted(page, contexts, serving, agent):
    """It can deny at once; it may approve when the first has admitted it by its code, and no longer once removed."""
    become_approver(page)
    trusted = pin(agent.state)
    other = contexts.make().new_page()
    log_in(other, serving)
    to_inbox(other)
    other.get_by_label("Name of this browser").fill('Ben\'s "phone" \U0001f4f1')
    other.get_by_role("button", name="Ask to be admitted").click()
    expect(other.get_by_text("Admit it in a browser that may approve")).to_be_visible()
    code = other.get_by_role("listitem").filter(has_text="this browser").locator("code").inner_text()
    request = agent.ask("make install")
    expect(approve(other, request)).to_be_disabled()
    expect(card(other, request)).to_contain_text("This browser waits to be admitted")

    page.get_by_role("button", name="Admit Ben").click()
    expect(page.get_by_text("only if that browser shows this code")).to_contain_text(code)
    page.get_by_role("button", name="Admit it").click()
    expect(page.get_by_role("button", name="Remove Ben")).to_be_visible()
    expect(approve(other, request)).to_be_enabled()
    press(approve(other, request))
    expect(card(page, request)).to_contain_text("Approved by Ben")
    trusted.extend(load(agent.state))
    answer = agent.answered(request, trusted)
    assert isinstance(answer, Verdict)
    assert answer.behaviour == "allow"

    page.get_by_role("button", name="Remove Ben").click()
    page.get_by_role("button", name="Remove it").click()
    expect(other.get_by_role("heading", name="Make this browser an approver")).to_be_visible()
    late = agent.ask("make uninstall")
    expect(approve(other, late)).to_be_disabled()
    expect(approve(page, late)).to_be_enabled()


def test_an_answer_that_does_not_hold_is_not_taken(page, agent, watch):
    """A signature that is not its approver's is refused; the card says so, and can still be answered."""
    watch.expect("status of 403")
    become_approver(page)
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


def test_requests_stand_below_their_conversation(page, agent):
    """The list says who waits for a person, and below the transcript the same card takes the answer."""
    become_approver(page)
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
    dock.get_by_role("button", name="Put away").click()
    expect(dock).to_have_count(0)


def test_what_was_decided_stays_to_be_seen(page, agent):
    """Another visit shows the requests that are settled, the newest first, and what was asked one click away."""
    to_inbox(page)
    first, second = agent.ask("echo first"), agent.ask("echo second")
    expect(card(page, second)).to_be_visible()
    agent.deny_elsewhere(first, "not now")
    agent.ledger.withdraw(second.id, "over")
    expect(card(page, second)).to_contain_text("Withdrawn")
    page.get_by_role("link", name="Search").click()
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Approvals").click()

    lines = page.get_by_role("region", name="Settled").get_by_role("listitem")
    expect(lines).to_have_count(2)
    expect(lines.nth(0)).to_contain_text("echo second")
    expect(lines.nth(1)).to_contain_text("Denied in the terminal, after")
    expect(lines.nth(1)).to_contain_text("not now")
    lines.nth(1).get_by_role("button", name="What was asked").click()
    expect(lines.nth(1).get_by_role("group", name="Command")).to_contain_text("echo first")


def test_the_inbox_has_keys(page):
    """`g a` leads to it, the palette knows it, and the help tells of it."""
    expect(listed(page)).to_have_count(5)
    page.keyboard.press("g")
    page.keyboard.press("a")
    expect(page).to_have_url(re.compile("/approvals$"))
    page.keyboard.press("Control+k")
    page.get_by_role("combobox").fill("approvals")
    expect(page.get_by_role("option", name="Approvals G A")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Help")).to_contain_text("approvals")


def test_the_inbox_has_an_address(page):
    """A bookmark, a link or a reload opens it."""
    page.goto("/approvals")
    expect(page.get_by_role("heading", name="Who may approve")).to_be_visible()


class TestOnAPhone:
    """In both themes."""

    @pytest.fixture(params=["light", "dark"])
    def settings(self, request):
        return {"viewport": PHONE, "color_scheme": request.param, "has_touch": True, "is_mobile": True}

    def test_cards_fit_and_are_accessible(self, page, agent, axe):
        """Inbox and dock fit 360 points, can be answered by a tap, and axe finds nothing."""
        name = name_of(page, worlds.EDITS)
        become_approver(page)
        long = "x" * 300
        request = agent.ask(f"rm -rf {long}", conversation=name, waits_s=540, suggestions=(RULE, ANYTHING), agent=long)
        edit = agent.ask(
            tool="Edit", given={"file_path": f"/{long}.py", "old_string": "a\n" * 3, "new_string": f"{long}\n"}
        )
        expect(card(page, edit)).to_be_visible()
        fits(page)
        card(page, request).get_by_role("button", name="Edit input").tap()
        card(page, request).get_by_role("button", name="Whole input").tap()
        card(page, edit).get_by_role("button", name="Deny with a message").tap()
        fits(page)
        assert axe(page) == []
        press(card(page, edit).get_by_role("button", name="Deny and tell the agent"))
        expect(card(page, edit)).to_contain_text("Denied")

        open_session(page, worlds.EDITS)
        expect(page.get_by_role("region", name="Waiting for you")).to_be_visible()
        fits(page)
        assert axe(page) == []
        press(approve(page, request))
        expect(page.get_by_role("region", name="Waiting for you")).to_contain_text("Approved")


def center(button: Locator) -> tuple[float, float]:
    box = button.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def height(box: Locator) -> float:
    found = box.bounding_box()
    assert found is not None
    return found["height"]


def put_away(page: Page) -> None:
    while page.get_by_role("button", name="Put away").count() > 0:
        page.get_by_role("button", name="Put away").first.click()
