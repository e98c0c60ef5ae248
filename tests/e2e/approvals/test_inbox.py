"""Tests that everybody sees permission requests unchanged, and that everybody can deny them."""

import re
from datetime import UTC, datetime, timedelta

from playwright.sync_api import expect

from chorus.steer.approvals.model import State
from chorus.steer.approvals.verdict import Verdict
from tests.e2e.approvals.cards import approve, card, press, to_inbox
from tests.e2e.support.opening import listed

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

IN_THE_GUTTER = """card => {
  const out = []
  for (const line of card.querySelectorAll('.diff-line, [data-numbered] .code-line')) {
    const text = document.createRange()
    text.selectNodeContents(line)
    const sign = line.querySelector('.diff-sign')
    if (sign) text.setStartAfter(sign)
    const [first, ...rest] = [...text.getClientRects()].filter(({ width }) => width > 0)
    const below = rest.filter(({ top }) => top >= first.bottom - 1)
    if (line.textContent.length > 100 && below.length === 0) out.push('not wrapped')
    out.push(...below.filter(({ left }) => left < first.left - 1).map(({ left }) => left - first.left))
  }
  return out
}"""
"""How far what is wrapped begins left of its line."""


def test_a_request_appears_by_itself(page, agent):
    """A new request changes the open page, the tab, the title and the icon, and they change back when it is over."""
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


def test_what_was_settled_says_when_and_how_long_it_took(page, agent):
    """The history says who settled a request, where, when by the ledger's clock, and how long it waited.

    This is also true for a request that nobody answered.
    """
    ago = datetime.now(UTC) - timedelta(minutes=7)
    denied, left = agent.ask("touch denied.txt", at=ago), agent.ask("touch left.txt", at=ago)
    agent.deny_elsewhere(denied, "not now")
    agent.ledger.withdraw(left.id, "the agent left")
    to_inbox(page)
    history = page.get_by_role("region", name="Settled")
    for words, told, request in (
        ("touch denied.txt", "Denied in the terminal, after 7m 0", denied),
        ("touch left.txt", "Withdrawn: the agent left (after 7m 0", left),
    ):
        line = history.get_by_role("listitem").filter(has_text=words)
        expect(line).to_contain_text(told)
        expect(line.get_by_text("now", exact=True)).to_be_visible()
        settled = datetime.fromisoformat(agent.row(request).settled_at or "")
        stamp = datetime.fromisoformat(line.locator("time").get_attribute("datetime") or "")
        assert abs(stamp - settled) < timedelta(milliseconds=2)


def test_nothing_is_out_of_sight_beside_a_card(page, agent):
    """A very long line is wrapped for every tool, so that its end is visible inside the card."""
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


def test_a_wrapped_line_goes_on_below_its_own_text(page, agent):
    """A wrapped line continues below its own text, and not in the column of numbers and signs.

    There it could be mistaken for a line of the card itself.
    """
    to_inbox(page)
    long = "a word " * 60
    for request in (
        agent.ask(tool="Edit", given={"file_path": "/a.txt", "old_string": "x", "new_string": long}),
        agent.ask(tool="Write", given={"file_path": "/b.txt", "content": f"{long}\nend"}),
    ):
        expect(card(page, request)).to_contain_text("a word a word")
        assert card(page, request).evaluate(IN_THE_GUTTER) == []


def test_a_card_says_no_line_that_it_does_not_know(page, agent):
    """The diff of a requested edit shows signs and text, but no line numbers, because they are not known."""
    to_inbox(page)
    request = agent.ask(tool="Edit", given={"file_path": "/a.txt", "old_string": "a\nold", "new_string": "a\nnew"})

    expect(card(page, request).locator(".diff-line")).to_have_text(["a", "−old", "+new"])
    expect(card(page, request).locator(".diff-numbers")).to_have_count(0)


def test_leaving_plan_mode_without_a_plan_is_said_in_words(page, agent):
    """The card of an `ExitPlanMode` request without a plan explains the request and shows its input."""
    to_inbox(page)
    request = agent.ask(tool="ExitPlanMode", given={})

    expect(card(page, request)).to_contain_text("Leave plan mode and begin to work; the request holds no plan")
    expect(card(page, request)).to_contain_text("{}")


def test_the_inbox_has_keys(page):
    """The keys `g a` open the inbox, the palette lists it, and the help mentions it."""
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
    """The inbox has an address of its own, so that a bookmark, a link or a reload opens it."""
    page.goto("/approvals")
    expect(page.get_by_role("heading", name="Who may approve")).to_be_visible()


def test_cards_take_less_room_with_the_compact_density(page, agent):
    """With the compact density, cards and settled lines are lower, and the whole command is still visible."""
    settled = agent.ask("touch settled.txt")
    to_inbox(page)
    press(card(page, settled).get_by_role("button", name="Deny", exact=True))
    expect(card(page, settled)).to_contain_text("Denied")
    request = agent.ask("rm -rf build")
    page.reload()
    line = page.locator(".approvals-list > li").first
    drawn = []
    for chosen in ("Comfortable", "Compact"):
        page.goto("/settings")
        page.get_by_role("group", name="Density").get_by_role("button", name=chosen).click()
        to_inbox(page)
        expect(card(page, request)).to_contain_text("rm -rf build")
        expect(line).to_be_visible()
        assert card(page, request).evaluate(OUT_OF_SIGHT) == []
        drawn.append([each.evaluate("e => e.getBoundingClientRect().height") for each in (card(page, request), line)])
    assert all(low < high for high, low in zip(*drawn, strict=True)), drawn
