"""Tests Chorus as an app: it can be installed, opens without a connection, and stores no content."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect

import chorus
from tests.e2e.support import worlds
from tests.e2e.support.entering import log_in
from tests.e2e.support.opening import listed, open_session
from tests.e2e.support.serving import Serving

READY = "() => navigator.serviceWorker.ready.then((found) => found.active !== null)"
STORED = """async () => {
  const found = []
  for (const name of await caches.keys()) {
    for (const request of await (await caches.open(name)).keys()) found.push(new URL(request.url).pathname)
  }
  return found
}"""


ON_DISK = """async () => {
  const found = [JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage })]
  for (const { name } of await indexedDB.databases()) found.push(name)
  for (const name of await caches.keys()) {
    const cache = await caches.open(name)
    for (const request of await cache.keys()) found.push(await (await cache.match(request)).text())
  }
  return found
}"""
"""Everything that the page stored: small stores, the names of databases, and the content of caches."""


@pytest.fixture
def settings():
    return {"service_workers": "allow"}


def test_it_is_installed_and_opens_offline(opened, serving, contexts):
    """Chromium finds nothing that keeps the app from being installed; without the server it opens from its files."""
    page = opened
    contexts.watch_of(page).expect("ERR_|WebSocket|Failed to load resource")
    log_in(page, serving)
    expect(listed(page).first).to_be_visible()
    assert page.evaluate(READY)
    session = page.context.new_cdp_session(page)
    manifest = session.send("Page.getAppManifest")
    assert manifest["errors"] == [] and manifest["url"].endswith("/manifest.webmanifest")
    assert [each["errorId"] for each in session.send("Page.getInstallabilityErrors")["installabilityErrors"]] in (
        [],
        # A context of Playwright is a private window, in which no app can be installed.
        ["in-incognito"],
    )

    page.reload()
    expect(listed(page).first).to_be_visible()
    stored = page.evaluate(STORED)
    assert "/" in stored and all(path == "/" or path.startswith("/assets/") for path in stored)

    serving.stop()
    page.goto("/board")
    expect(page.get_by_role("heading", name="Chorus does not answer")).to_be_visible()
    assert page.evaluate(STORED) == stored
    serving.start()
    expect(page.get_by_role("heading", name="Board")).to_be_attached()


def test_nothing_of_a_conversation_is_on_the_device(opened, serving, contexts):
    """After list, transcript, search and board were read, no store of the browser has a word of a conversation."""
    page = opened
    log_in(page, serving)
    expect(listed(page).first).to_be_visible()
    assert page.evaluate(READY)
    for address in ("/search?q=wind", "/board", "/usage", "/settings"):
        page.goto(address)
        expect(page.get_by_role("navigation", name="Pages")).to_be_visible()
    messages = open_session(page, worlds.EDITS)
    said = messages.inner_text()
    sentences = [line for line in said.splitlines() if len(line) > 25]
    assert sentences
    stored = page.evaluate(ON_DISK)
    assert len(stored) > 3, "the files of the application are stored"
    assert [line for line in sentences if any(line in each for each in stored)] == []


def test_a_page_without_its_server_says_how_old_it_is(opened, serving, contexts):
    """What was loaded stays readable while the server is away, with the time at which it was heard last."""
    page = opened
    contexts.watch_of(page).expect("ERR_|WebSocket|Failed to load resource")
    log_in(page, serving)
    messages = open_session(page, worlds.EDITS)
    answer = messages.get_by_text("Heights are now rounded half up.")
    expect(answer).to_be_visible()
    serving.stop()
    notice = page.get_by_role("status").filter(has_text="Chorus does not answer")
    expect(notice).to_contain_text(
        re.compile(r"What you see is as of \d\d:\d\d( [AP]M)?, less than a minute ago\."), timeout=30_000
    )
    expect(answer).to_be_visible()
    page.get_by_role("button", name="Stopped").click()
    expect(page.get_by_role("dialog", name="Status")).to_contain_text("What you see is as of")
    page.keyboard.press("Escape")
    serving.start()
    expect(notice).to_have_count(0, timeout=30_000)


class TestUpdates:
    """Tests an update of the application while a page is open. The server runs from a copy that can be changed."""

    @pytest.fixture
    def copy(self, tmp_path: Path) -> Path:
        shutil.copytree(Path(chorus.__file__).parent, tmp_path / "source" / "chorus")
        return tmp_path / "source"

    @pytest.fixture
    def serving(self, empty: Serving, copy: Path, monkeypatch: pytest.MonkeyPatch) -> Serving:
        inherited = os.environ.get("PYTHONPATH", "")
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(copy), inherited))))
        empty.write(*worlds.small())
        empty.start()
        return empty

    def test_an_update_is_offered_and_what_is_typed_stays(self, opened, serving, copy, axe, contexts):
        """The page says that there is a newer version, and loads it only when the person wants it."""
        page = opened
        contexts.watch_of(page).expect("ERR_|WebSocket|Failed to load resource")
        log_in(page, serving)
        page.evaluate(READY)
        page.reload()
        expect(listed(page).first).to_be_visible()
        page.goto("/search")
        field = page.get_by_role("combobox").first
        field.fill("half a sente")
        page.evaluate("window.untouched = true")
        app = copy / "chorus" / "show" / "server" / "app"
        worker = app / "service-worker.js"
        worker.write_text(worker.read_text() + "\n// another version\n")
        serving.stop()
        serving.start()
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")

        notice = page.get_by_text("Chorus was updated.")
        expect(notice).to_be_visible()
        assert axe(page) == []
        assert page.evaluate("window.untouched") is True
        expect(field).to_have_value("half a sente")
        page.get_by_role("button", name="Reload").click()
        expect(notice).to_have_count(0)
        assert page.evaluate("window.untouched") is None


@pytest.mark.parametrize("settings", [{"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}])
def test_a_device_chooses_its_notifications(page, serving, axe):
    """Events, content and quiet hours are chosen on the settings page, and hold after the page is loaded again."""
    page.goto("/settings")
    part = page.get_by_role("region", name="Notifications", exact=True)
    part.get_by_label("An agent has finished").click()
    expect(part.get_by_label("An agent has finished")).to_be_checked()
    part.get_by_role("button", name="The title").click()
    expect(part.get_by_role("button", name="The title")).to_have_attribute("aria-pressed", "true")
    part.get_by_label("Quiet hours").click()
    expect(part.get_by_label("Quiet from")).to_have_value("22:00")
    page.reload()

    expect(part.get_by_label("An agent has finished")).to_be_checked()
    expect(part.get_by_role("button", name="The title")).to_have_attribute("aria-pressed", "true")
    expect(part.get_by_label("Quiet until")).to_have_value("07:00")
    assert axe(page) == []


def test_a_pushed_message_is_shown_and_a_broken_one_harms_nothing(opened, serving):
    """The service worker shows title and text of a message as they are; what it cannot read becomes a notification
    without content, because browsers end subscriptions that show nothing."""
    page = opened
    log_in(page, serving)
    assert page.evaluate(READY)
    session = page.context.new_cdp_session(page)
    found: list[dict] = []
    session.on("ServiceWorker.workerRegistrationUpdated", lambda event: found.extend(event["registrations"]))
    session.send("ServiceWorker.enable")
    page.wait_for_function("() => true")
    registration = next(each["registrationId"] for each in found if not each["isDeleted"])

    def push(data: str) -> None:
        given = {"origin": serving.url, "registrationId": registration, "data": data}
        session.send("ServiceWorker.deliverPushMessage", given)

    worker = page.context.service_workers[0]
    worker.evaluate(NOTED)

    def noted(count: int) -> list:
        for _ in range(100):
            if len(found := worker.evaluate("() => self.noted")) == count:
                return found
            page.wait_for_timeout(50)
        raise AssertionError(found)

    waits = {"title": "An agent waits for you", "body": "<b>rm</b> -rf x", "tag": "t1", "conversation": "w/main/s"}
    push(json.dumps(waits))
    assert noted(1)[0] == ["An agent waits for you", "<b>rm</b> -rf x", "t1", "w/main/s"]
    for data in ("{", "[1]", "null", json.dumps({"title": 7, "body": {}, "conversation": 3})):
        push(data)
    assert noted(5)[1:] == [["Chorus", "", "chorus", None]] * 4


NOTED = """() => {
  self.noted = []
  self.registration.showNotification = async (title, { body, tag, data }) => {
    self.noted.push([title, body, tag, data.conversation])
  }
}"""
"""Browsers without a screen show no notifications: the worker notes them."""
