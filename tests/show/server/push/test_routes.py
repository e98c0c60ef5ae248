"""Tests notifications of a whole server: a device subscribes, receives, and is forgotten when it logs out."""

import json

from chorus.core.notifications.rules import USUAL
from chorus.show.server.push.encryption import packed
from tests.show.server.push.push_service import PushThread
from tests.show.server.serving import serving, until


def test_a_device_subscribes_and_is_forgotten(places, tmp_path):
    """Rules and subscription belong to one login; a push arrives encrypted, and logging out ends it."""
    vault, folder = places
    with PushThread(tmp_path) as service, serving(vault, folder, outgoing=service.outgoing()) as server:
        phone, laptop = server.browser(), server.browser()
        given = service.subscription()
        asked = {"endpoint": given.endpoint, "key": packed(given.key), "secret": packed(given.secret)}
        rules = {"events": ["done"], "muted": ["w"], "quiet": "22:00-07:00", "content": "title"}

        assert phone.post("/api/notifications", rules).status == 204
        assert phone.post("/api/notifications/subscription", asked).status == 204
        assert phone.post("/api/notifications/trial", None).status == 204
        until(lambda: service.texts)

        seen, other = phone.get("/api/notifications").json, laptop.get("/api/notifications").json
        assert (seen["rules"], seen["is_pushed"]) == (rules, True)
        assert (other["rules"]["events"], other["is_pushed"]) == (list(USUAL.events), False)
        assert service.texts[0]["title"] == "Chorus can reach this device"
        assert phone.post("/api/logout", None).status == 204
        stored = json.loads((vault / "state" / "notifications.json").read_text())
        assert stored["devices"] == []


def test_what_no_browser_sends_is_refused(places):
    """Addresses of this machine's kind, wrong keys and rules without meaning are refused, and nothing is stored."""
    vault, folder = places
    with serving(vault, folder) as server:
        browser = server.browser()
        for asked in (
            {"endpoint": "http://push.example.org/x", "key": "AA", "secret": "AA"},
            {"endpoint": "https://push.example.org/x", "key": "AA", "secret": "AA"},
            {"endpoint": "https://push.example.org/x", "key": "ü", "secret": "AA"},
        ):
            assert browser.post("/api/notifications/subscription", asked).status == 400
        bad = {"events": ["lunch"], "muted": [], "quiet": "", "content": "none"}
        assert browser.post("/api/notifications", bad).status == 400
        assert not browser.get("/api/notifications").json["is_pushed"]
