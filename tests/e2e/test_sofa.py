"""Tests a whole evening on the sofa: a phone over the encrypted network is told that an agent waits, reads the whole
command, approves it with the thumb and sees the tests move; a stranger in the same network gets nothing."""

import contextlib
import re
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect

from tests.e2e.approvals.cards import become_approver
from tests.e2e.support.agents import World
from tests.e2e.support.phone import fits, phone
from tests.e2e.support.thumb import THUMB_PX, tap
from tests.e2e.test_lan import Home, address, authority, chromium
from tests.e2e.test_pairing import code_on, show_code
from tests.e2e.test_pocket import COMMAND, PAUSE_S, section, size, stand_in
from tests.show.server.lan import LAN, needs_lan
from tools import browser as browsers

pytestmark = [
    needs_lan,
    pytest.mark.skipif(shutil.which("certutil") is None, reason="there is no `certutil`, which trusts a certificate"),
]

NOTED = """
window.noted = []
window.Notification = class {
  static permission = 'granted'
  static requestPermission = async () => 'granted'
  constructor() {
    throw new TypeError('Illegal constructor. Use ServiceWorkerRegistration.showNotification() instead.')
  }
}
ServiceWorkerRegistration.prototype.showNotification = async (title, options) => {
  window.noted.push({ title, ...options })
}
document.hasFocus = () => false
"""
"""A phone in a pocket: as on Android, only a service worker may show notifications, and nobody looks at the page."""
PROBES = """async () => {
  const found = {}
  const asked = ['status', 'conversations', 'approvals', 'approvers', 'board', 'runs', 'settings', 'devices',
                 'search?q=rm', 'notifications', 'rules', 'budgets', 'places', 'usage', 'panes', 'facets']
  for (const name of asked) {
    const answer = await fetch('/api/' + name)
    found[name] = [answer.status, (await answer.text()).length]
  }
  const pairing = ['devices/pairing', {scope: 'approve'}]
  const posts = [['ticket', {}], ['login', {token: 'x'}], ['runs', {}], ['approvers', {}], pairing]
  for (const [name, body] of posts) {
    const headers = {'Content-Type': 'application/json', 'X-Chorus': '1'}
    const answer = await fetch('/api/' + name, {method: 'POST', body: JSON.stringify(body), headers})
    found['POST ' + name] = [answer.status, (await answer.text()).length]
  }
  for (const path of ['live', 'mobile']) {
    found['socket ' + path] = await new Promise((done) => {
      const socket = new WebSocket(`wss://${location.host}/api/${path}`, path === 'mobile' ? 'chorus.mobile.v1' : [])
      socket.onopen = () => done('open')
      socket.onerror = () => done('refused')
    })
  }
  return found
}"""


@pytest.fixture
def world(tmp_path: Path, built: None) -> Iterator[World]:
    made = World(tmp_path)
    made.settle(str(stand_in(tmp_path)))
    made.serving.start("--lan", LAN.address)
    yield made
    made.clear()
    made.serving.kill()


@pytest.fixture
def serving(world: World):
    return world.serving


@pytest.fixture(params=["light", "dark"])
def sofa(request, serving, playwright: Playwright, tmp_path: Path) -> Iterator[Page]:
    """The browser of a phone that trusts the root of Chorus."""
    home = Home(tmp_path / "phone")
    home.trust(authority(serving) / "root.pem")
    look = phone(request.param) | {"viewport": {"width": 390, "height": 844}, "service_workers": "allow"}
    with chromium(playwright, home) as browser:
        context = browsers.context(browser, address(serving), browsers.DEAD, **look)
        context.add_init_script(NOTED)
        yield context.new_page()


def paired_and_admitted(sofa: Page, computer: Page, serving) -> None:
    """The phone scans the QR code, the person confirms it and admits its key as an approver."""
    become_approver(computer, "computer")
    link = show_code(computer, serving, "Read, steer and answer")
    assert link.startswith(address(serving) + "/pair#p=")
    sofa.goto(link)
    fits(sofa)
    sofa.get_by_label("Name of this phone").fill("sofa")
    sofa.get_by_role("button", name="Pair this phone").tap()
    expect(sofa.get_by_role("heading", name="Confirm on the computer")).to_be_visible()
    dialog = computer.get_by_role("dialog", name="Pair a phone")
    expect(dialog).to_contain_text(code_on(sofa))
    dialog.get_by_role("button", name="confirm").click()
    sofa.wait_for_url(re.compile("/approvals"))
    sofa.get_by_label("Name of this browser").fill("sofa")
    sofa.get_by_role("button", name="Ask to be admitted").tap()
    computer.goto("/approvals")
    computer.get_by_role("button", name="Admit sofa").click()
    computer.get_by_role("button", name="Admit it").click()
    expect(sofa.get_by_text("this browser", exact=True)).to_be_visible()


def test_an_evening_on_the_sofa(page, serving, sofa, axe, screenshot):
    """Told, read, approved, moved; and from the same network without a pairing there is only the empty application."""
    computer = page
    paired_and_admitted(sofa, computer, serving)
    sofa.goto("/settings")
    notifications = sofa.get_by_role("region", name="Notifications", exact=True)
    notifications.get_by_role("button", name="The title").tap()
    sofa.evaluate("localStorage.setItem('chorus.notify', '1')")
    sofa.goto("/now")
    expect(section(sofa, "needs you")).to_be_visible()

    computer.goto("/new")
    computer.get_by_label("What is to be done").fill("Run the tests.")
    computer.get_by_role("button", name="Start", exact=True).click()
    asked = section(sofa, "needs you").locator("[data-approval]")
    expect(asked).to_contain_text(COMMAND, timeout=30_000)
    sofa.wait_for_function("() => window.noted.length > 0")
    noted = sofa.evaluate("window.noted")
    assert noted[0]["title"] == "An agent waits for you"
    assert noted[0]["data"]["conversation"].startswith("harbour-")
    assert COMMAND not in str(noted), "the person chose to be told the title"
    expect(asked.get_by_text("rm -rf build/harbour-report")).to_be_in_viewport(ratio=1)
    approve = asked.get_by_role("button", name="Approve")
    assert min(size(approve)) >= THUMB_PX
    fits(sofa)
    assert axe(sofa) == []
    screenshot(sofa, "asks")
    a_stranger_gets_nothing(serving, sofa.context.browser)
    tap(approve)
    expect(asked).to_contain_text("Approved")

    working = section(sofa, "working").locator("[data-tile]")
    expect(working).to_contain_text("5 of 20", timeout=20_000)
    expect(working).to_contain_text("12 of 20", timeout=4 * PAUSE_S * 1000)
    expect(working.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "60")
    screenshot(sofa, "moves")
    a_stranger_gets_nothing(serving, sofa.context.browser)


def a_stranger_gets_nothing(serving, browser: Browser | None) -> None:
    """A browser in the same network without a pairing, which even trusts the certificate, gets no byte of content."""
    assert browser is not None
    context = browsers.context(browser, address(serving), browsers.DEAD)
    try:
        page = context.new_page()
        for path in ("/", "/now", "/approvals", "/board"):
            page.goto(address(serving) + path)
            expect(page.get_by_role("heading", name="Not logged in")).to_be_visible()
            assert "harbour" not in page.content()
        found = page.evaluate(PROBES)
        assert {name: each for name, each in found.items() if name.startswith("socket")} == {
            "socket live": "refused",
            "socket mobile": "refused",
        }
        statuses = {name: each[0] for name, each in found.items() if not name.startswith("socket")}
        assert set(statuses.values()) <= {401, 403}, statuses
        assert all(each[1] < 300 for name, each in found.items() if not name.startswith("socket"))
    finally:
        context.close()
    with socket.create_connection((LAN.address, serving.port), timeout=10) as plain:
        plain.sendall(f"GET / HTTP/1.1\r\nHost: {LAN.address}:{serving.port}\r\n\r\n".encode())
        with contextlib.suppress(ConnectionError):
            assert b"HTTP" not in plain.recv(4_096)
