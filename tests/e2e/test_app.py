"""Tests Chorus as an app: it can be installed, opens without a connection, and stores no content."""

import pytest
from playwright.sync_api import expect

from tests.e2e.support.entering import log_in
from tests.e2e.support.opening import listed

READY = "() => navigator.serviceWorker.ready.then((found) => found.active !== null)"
STORED = """async () => {
  const found = []
  for (const name of await caches.keys()) {
    for (const request of await (await caches.open(name)).keys()) found.push(new URL(request.url).pathname)
  }
  return found
}"""


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
