"""Tests pairing a phone in two real browsers: the page of the computer, and the page that the QR code opens."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.support.entering import log_in
from tests.e2e.support.opening import listed
from tests.e2e.support.phone import fits, phone
from tests.e2e.support.watching import Contexts

PATIENCE_MS = 20_000


@pytest.fixture
def serving(fresh):
    return fresh


@pytest.fixture(params=["light", "dark"])
def theme(request) -> str:
    return request.param


def settings_of(page: Page):
    return page.get_by_role("region", name="Devices", exact=True)


def paired_in(page: Page):
    return settings_of(page).get_by_role("list", name="Paired devices").get_by_role("listitem")


def approvers_of(page: Page):
    return page.get_by_role("region", name="Who may approve")


def show_code(page: Page, serving, scope: str) -> str:
    """Shows a QR code on the computer; returns the address in it."""
    log_in(page, serving)
    page.goto("/settings")
    settings_of(page).get_by_role("button", name="Pair a phone").click()
    return offer(page, scope)


def offer(page: Page, scope: str) -> str:
    dialog = page.get_by_role("dialog", name="Pair a phone")
    dialog.get_by_role("radio", name=re.compile(f"^{scope} It ")).check()
    dialog.get_by_role("button", name="Show the QR code").click()
    expect(dialog.get_by_role("img", name="QR code")).to_be_visible()
    return dialog.locator("code").inner_text()


def phone_page(contexts: Contexts, theme: str = "light") -> Page:
    """Returns an empty page of a phone that nobody knows."""
    context = contexts.make(**phone(theme))
    contexts.watches[-1].expect("401")
    return context.new_page()


def claim(page: Page, address: str, name: str) -> None:
    page.goto(address)
    page.get_by_label("Name of this phone").fill(name)
    page.get_by_role("button", name="Pair this phone").tap()


def code_on(page: Page) -> str:
    return page.get_by_label("Code", exact=True).inner_text()


def board_of(page: Page):
    return page.get_by_role("heading", name="Board", exact=True)


def reads(page: Page) -> None:
    """Waits until the phone was let in, and opens a page that needs a login."""
    page.wait_for_url(lambda url: "/pair" not in url, timeout=PATIENCE_MS)
    page.goto("/board")
    expect(board_of(page)).to_be_attached()


def pair(computer: Page, contexts: Contexts, serving, scope: str, name: str) -> Page:
    """Pairs a phone; returns its page, which is logged in."""
    address = show_code(computer, serving, scope)
    mobile = phone_page(contexts)
    claim(mobile, address, name)
    expect(mobile.get_by_role("heading", name="Confirm on the computer")).to_be_visible()
    dialog = computer.get_by_role("dialog", name="Pair a phone")
    dialog.get_by_role("button", name="confirm").click()
    expect(dialog).to_contain_text("now.")
    mobile.wait_for_url(lambda url: "/pair" not in url)
    dialog.get_by_role("button", name="Close").last.click()
    return mobile


def test_a_phone_is_paired(opened, serving, contexts, theme, axe):
    """Both screens show one code; after the confirmation the phone reads, and its address never kept the secret."""
    computer = opened
    address = show_code(computer, serving, "Only read")
    assert axe(computer) == []
    mobile = phone_page(contexts, theme)
    mobile.goto(address)
    expect(mobile).to_have_url(f"{serving.url}/pair")
    assert axe(mobile) == []
    fits(mobile)
    mobile.get_by_label("Name of this phone").fill("Ada’s phone")
    mobile.get_by_role("button", name="Pair this phone").tap()

    dialog = computer.get_by_role("dialog", name="Pair a phone")
    expect(dialog.get_by_label("Code", exact=True)).to_be_visible()
    expect(dialog).to_contain_text("“Ada’s phone” wants to read")
    expect(mobile.get_by_label("Code", exact=True)).to_be_visible()
    assert code_on(computer) == code_on(mobile)
    assert re.fullmatch(r"\d{3} \d{3}", code_on(mobile))
    assert axe(computer) == [] and axe(mobile) == []
    fits(mobile)
    dialog.get_by_role("button", name="confirm").click()
    expect(dialog).to_contain_text("“Ada’s phone” may read now.")

    reads(mobile)
    mobile.goto("/settings")
    expect(settings_of(mobile)).to_contain_text("paired as “Ada’s phone”, may read")
    expect(settings_of(mobile).get_by_role("button", name="Pair a phone")).to_have_count(0)
    fits(mobile)


@pytest.mark.parametrize(
    ("label", "statuses"),
    [
        ("Only read", (200, 403, 403, 403)),
        ("Read and steer", (200, 404, 403, 403)),
        ("Read, steer and answer", (200, 404, 404, 403)),
    ],
)
def test_each_scope_opens_what_it_says(opened, serving, contexts, label, statuses):
    """Reading, stopping an agent, answering a request and pairing another phone are let in by the scope, or refused."""
    mobile = pair(opened, contexts, serving, label, "phone")
    contexts.watch_of(mobile).expect("403|404")
    tried = [
        ("GET", "/api/conversations", None),
        ("POST", "/api/runs/none/stop", None),
        ("POST", "/api/approvals/none", ANSWER),
        ("POST", "/api/devices/pairing", {"scope": "read"}),
    ]
    found = mobile.evaluate(ASK, tried)
    assert tuple(status for status, _ in found) == statuses
    refused = [message for status, message in found if status == 403]
    assert all("on the computer" in message for message in refused), refused


ANSWER = {"digest": "0" * 64, "behavior": "deny", "at": "2026-03-01T12:00:00.000Z"}
ASK = """async (tried) => {
  const headers = { 'X-Chorus': '1', 'Content-Type': 'application/json' }
  const found = []
  for (const [method, path, body] of tried) {
    const answer = await fetch(path, { method, headers, body: body === null ? null : JSON.stringify(body) })
    found.push([answer.status, answer.ok ? '' : (await answer.json()).message])
  }
  return found
}"""


def test_a_phone_that_may_answer_asks_an_approver_with_its_own_key(opened, serving, contexts):
    """The phone opens Approvals, asks with the key that it was paired with, and waits until an approver admits it."""
    computer = opened
    log_in(computer, serving)
    computer.goto("/approvals")
    computer.get_by_label("Name of this browser").fill("computer")
    computer.get_by_role("button", name="Make it an approver").click()
    expect(approvers_of(computer)).to_contain_text("computer")
    mobile = pair(computer, contexts, serving, "Read, steer and answer", "answering")
    expect(mobile).to_have_url(re.compile("/approvals"))
    mobile.get_by_label("Name of this browser").fill("answering")
    mobile.get_by_role("button", name="Ask to be admitted").tap()
    expect(mobile.get_by_role("note", name="Admit this browser")).to_be_visible()
    computer.goto("/approvals")
    computer.get_by_role("button", name="Admit answering").click()
    computer.get_by_role("button", name="Admit it").click()
    expect(mobile.get_by_role("note", name="Admit this browser")).to_have_count(0)
    expect(approvers_of(mobile)).to_contain_text("answering")


def test_revoking_ends_what_the_phone_shows(opened, serving, contexts):
    """The page of a revoked phone shows nothing any more as soon as the computer revoked it, also after a reload."""
    computer = opened
    mobile = pair(computer, contexts, serving, "Only read", "stolen")
    reads(mobile)
    row = paired_in(computer).filter(has_text="stolen")
    expect(row).to_contain_text("may read")
    expect(row).to_contain_text("last seen")
    row.get_by_role("button", name="Revoke").click()
    row.get_by_role("button", name="Revoke it").click()
    expect(settings_of(computer)).to_contain_text("“stolen” was revoked and is logged out.")
    expect(row).to_have_count(0)

    expect(mobile.get_by_role("heading", name="This device is logged out")).to_be_visible()
    expect(mobile.get_by_text("chorus phone pair")).to_be_visible()
    expect(board_of(mobile)).to_have_count(0)
    mobile.reload()
    expect(mobile.get_by_role("heading", name="This device is logged out")).to_be_visible()


def test_a_device_is_renamed(opened, serving, contexts):
    """The new name replaces the old one in the list, and the phone sees it."""
    computer = opened
    mobile = pair(computer, contexts, serving, "Only read", "old name")
    row = paired_in(computer)
    row.get_by_role("button", name="Rename").click()
    row.get_by_label("New name of old name").fill("new name")
    row.get_by_role("button", name="Save").click()
    expect(row).to_contain_text("new name")
    expect(row).not_to_contain_text("old name")
    mobile.goto("/settings")
    expect(settings_of(mobile)).to_contain_text("paired as “new name”")


def test_a_refused_phone_gets_nothing(opened, serving, contexts, axe):
    """After a no, both screens say so, and the phone has no login."""
    computer = opened
    address = show_code(computer, serving, "Only read")
    mobile = phone_page(contexts)
    claim(mobile, address, "unknown")
    dialog = computer.get_by_role("dialog", name="Pair a phone")
    dialog.get_by_role("button", name="Refuse").click()
    expect(dialog).to_contain_text("“unknown” was refused and gets nothing.")
    expect(mobile.get_by_role("heading", name="This phone is not paired")).to_be_visible()
    expect(mobile.get_by_role("alert")).to_have_text(re.compile("^The pairing was refused on the computer: show a new"))
    assert axe(mobile) == []
    assert mobile.context.cookies() == []


def test_of_two_phones_that_race_one_shows_an_error(opened, serving, contexts):
    """The second phone with a photo of the QR code is told that it was used; the first one is paired by its code."""
    computer = opened
    address = show_code(computer, serving, "Only read")
    first, second = phone_page(contexts), phone_page(contexts)
    for each, name in ((first, "first"), (second, "second")):
        each.goto(address)
        each.get_by_label("Name of this phone").fill(name)
    first.get_by_role("button", name="Pair this phone").tap()
    expect(first.get_by_label("Code", exact=True)).to_be_visible()
    second.get_by_role("button", name="Pair this phone").tap()
    expect(second.get_by_role("alert")).to_contain_text("A device used this QR code already.")
    expect(second.get_by_role("alert")).to_contain_text("refuse it on the computer")

    dialog = computer.get_by_role("dialog", name="Pair a phone")
    expect(dialog.get_by_label("Code", exact=True)).to_be_visible()
    assert code_on(computer) == code_on(first)
    dialog.get_by_role("button", name="confirm").click()
    reads(first)
    assert second.context.cookies() == []


def test_a_used_code_cannot_be_used_again(opened, serving, contexts):
    """After a phone was paired, the same address pairs nobody else, and says what to do."""
    computer = opened
    address = show_code(computer, serving, "Only read")
    mobile = phone_page(contexts)
    claim(mobile, address, "paired")
    computer.get_by_role("button", name="confirm").click()
    reads(mobile)
    thief = phone_page(contexts)
    claim(thief, address, "thief")
    expect(thief.get_by_role("alert")).to_contain_text("A device used this QR code already.")
    expect(thief.get_by_text("chorus phone pair")).to_be_visible()
    assert thief.context.cookies() == []


def test_a_replaced_code_is_not_taken(opened, serving, contexts):
    """A phone that read the code before a newer one was shown is told so, and so is a phone that already waits."""
    computer = opened
    address = show_code(computer, serving, "Only read")
    waiting = phone_page(contexts)
    claim(waiting, address, "waiting")
    expect(waiting.get_by_label("Code", exact=True)).to_be_visible()
    computer.get_by_role("dialog", name="Pair a phone").get_by_role("button", name="Close").click()
    settings_of(computer).get_by_role("button", name="Pair a phone").click()
    offer(computer, "Only read")
    expect(waiting.get_by_role("alert")).to_contain_text("The computer shows a newer QR code")
    late = phone_page(contexts)
    claim(late, address, "late")
    expect(late.get_by_role("alert")).to_contain_text("not the one that the computer shows now")


def test_a_scope_that_was_not_offered_is_refused(opened, serving, contexts):
    """A phone that changes what the address offers is refused, and the computer still waits for the right one."""
    computer = opened
    address = show_code(computer, serving, "Only read")
    mobile = phone_page(contexts)
    contexts.watch_of(mobile).expect("400")
    claim(mobile, address.replace("s=read", "s=approve"), "greedy")
    expect(mobile.get_by_role("alert")).to_contain_text("did not sign what the computer offers, to read")
    mobile.goto("/")
    mobile.goto(address.replace("s=read", "s=everything"))
    expect(mobile.get_by_role("heading", name="This address is not complete")).to_be_visible()
    mobile.goto("/")
    mobile.goto("/pair")
    expect(mobile.get_by_text("choose “Pair a phone”")).to_be_visible()
    expect(computer.get_by_role("dialog", name="Pair a phone")).to_contain_text("Waiting for the phone")


@pytest.mark.parametrize("without", ["indexedDB", "isSecureContext"])
def test_a_browser_without_keys_says_so(opened, serving, contexts, without, axe):
    """If the page is not encrypted or the browser stores nothing, the page says why, and the code stays valid."""
    address = show_code(opened, serving, "Only read")
    mobile = phone_page(contexts)
    mobile.add_init_script(f"Object.defineProperty(window, '{without}', {{ value: undefined }})")
    mobile.goto(address)
    expect(mobile.get_by_role("heading", name="This browser cannot keep a key here")).to_be_visible()
    expect(mobile.get_by_text("https")).to_be_visible()
    assert axe(mobile) == []
    expect(opened.get_by_role("dialog", name="Pair a phone")).to_contain_text("Waiting for the phone")


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_clock_that_is_off_by_an_hour_is_noticed(opened, serving, contexts, hours):
    """The phone is paired; it says that its clock is wrong, and ages follow the clock of the computer."""
    computer = opened
    address = show_code(computer, serving, "Only read")
    mobile = phone_page(contexts)
    mobile.add_init_script(f"{{ const now = Date.now; Date.now = () => now() + {hours} * 3_600_000 }}")
    mobile.goto(address)
    expect(mobile.get_by_text("The clock of this phone is wrong.")).to_be_visible()
    mobile.get_by_role("button", name="Pair this phone").tap()
    expect(mobile.get_by_role("timer")).to_have_text(re.compile(r"^[012]:\d\d left$"))
    computer.get_by_role("button", name="confirm").click()
    reads(mobile)
    mobile.goto("/settings")
    expect(settings_of(mobile)).to_contain_text("logged in now, last seen now")


def test_a_browser_of_the_computer_keeps_its_login(opened, serving):
    """A browser of the computer that opens the address is referred to the phone, and stays logged in."""
    address = show_code(opened, serving, "Only read")
    opened.goto(address)
    expect(opened.get_by_role("heading", name="This browser needs no pairing")).to_be_visible()
    opened.get_by_role("link", name="Open Chorus").click()
    expect(listed(opened).first).to_be_visible()


def test_the_key_of_the_phone_is_given_to_nobody(opened, serving, contexts):
    """The browser keeps a key that it can use and not export, and a key in a pairing that was refused is not used."""
    mobile = pair(opened, contexts, serving, "Only read", "phone")
    kept = mobile.evaluate(KEPT)
    assert kept == {"approver": {"extractable": False, "isPaired": True}}


KEPT = """() => new Promise((resolve, reject) => {
  const opening = indexedDB.open('chorus', 1)
  opening.onerror = () => reject(opening.error)
  opening.onsuccess = () => {
    const found = {}
    const reading = opening.result.transaction('keys').objectStore('keys').openCursor()
    reading.onsuccess = () => {
      const at = reading.result
      if (at === null) return resolve(found)
      found[at.key] = { extractable: at.value.privateKey.extractable, isPaired: at.value.isPaired }
      at.continue()
    }
  }
})"""


@pytest.mark.long
def test_an_expired_code_says_so_on_both_screens(opened, serving, contexts):
    """After two minutes the computer says that the code is no longer valid, and a phone that scans it is told why."""
    address = show_code(opened, serving, "Only read")
    dialog = opened.get_by_role("dialog", name="Pair a phone")
    expect(dialog).to_contain_text("the code is no longer valid", timeout=150_000)
    mobile = phone_page(contexts)
    claim(mobile, address, "late")
    expect(mobile.get_by_role("alert")).to_have_text(re.compile("^This QR code is older than two minutes: show a new"))
    dialog.get_by_role("button", name="Show a new QR code").click()
    offer(opened, "Only read")


@pytest.mark.long
def test_a_phone_that_nobody_confirms_says_so(opened, serving, contexts):
    """If nobody answers within two minutes, the phone stops waiting and has no login."""
    address = show_code(opened, serving, "Only read")
    mobile = phone_page(contexts)
    claim(mobile, address, "waiting")
    expect(mobile.get_by_label("Code", exact=True)).to_be_visible()
    expect(mobile.get_by_role("alert")).to_contain_text("Nobody confirmed this device", timeout=150_000)
    assert mobile.context.cookies() == []
