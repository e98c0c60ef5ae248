"""Tests notifications of a whole server: a device subscribes, receives, and is forgotten when it logs out."""

import json
import secrets
from datetime import UTC, datetime, timedelta
from string import ascii_letters
from uuid import UUID

from chorus.core.notifications.rules import USUAL
from chorus.core.records.times import wire_time
from chorus.show.server.push.encryption import packed
from chorus.steer.approvals.asking_process import this_process
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.model import Request
from chorus.testing.builders import Session, tool_use
from chorus.testing.builders.lines import Clock
from chorus.testing.builders.secrets import Secrets
from tests.show.server.push.push_service import PushThread
from tests.show.server.serving import serving, until

SECRET = f"ghp_{Secrets().some(ascii_letters, 36)}"


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


def subscribed(browser, service, number, **rules):
    """Subscribes a device at an address of its own, with the usual rules but for some."""
    given = service.subscription()
    asked = {"endpoint": f"{given.endpoint}/{number}", "key": packed(given.key), "secret": packed(given.secret)}
    chosen = {"events": list(USUAL.events), "muted": [], "quiet": "", "content": "none"}
    assert browser.post("/api/notifications", chosen | rules).status == 204
    assert browser.post("/api/notifications/subscription", asked).status == 204


def on_the_board(server, number):
    """Writes a session that is at work, and waits until the board has it; returns its id."""
    clock = Clock(wire_time(datetime.now(UTC) - timedelta(seconds=30)))
    session = Session(str(UUID(int=number, version=4)), cwd="/home/dev/harbour", clock=clock)
    session.user(f"Paint boat {number}")
    session.assistant(tool_use("Bash", {"command": "paint"}, id="c1"), stop="tool_use")
    server.write(session)
    browser = server.browser()

    def tiles():
        answer = browser.get("/api/board")
        return [tile["id"] for tile in answer.json["tiles"]] if answer.status == 200 else []

    until(lambda: session.id in tiles())
    return session.id


def asks(ledger, session, command):
    """Lets the agent of a session ask for permission; returns the row."""
    made = secrets.token_hex(16)
    request = Request(
        id=made,
        source="control",
        key=f"run/{made}",
        session=session,
        tool="Bash",
        input=json.dumps({"command": command}),
        cwd="/home/dev",
        created_at=wire_time(datetime.now(UTC)),
        asker=this_process(),
    )
    return ledger.ask(request)


def test_each_device_is_pushed_what_its_rules_ask_for(places, tmp_path):
    """A request reaches the device that wants commands, with the command and without secrets; a device in its quiet
    hours and one that muted the workspace get nothing."""
    with PushThread(tmp_path) as service, serving(*places, outgoing=service.outgoing()) as server:
        session = on_the_board(server, 1)
        workspace = server.browser().get("/api/board").json["tiles"][0]["workspace"]
        subscribed(server.browser(), service, 1, content="command")
        subscribed(server.browser(), service, 2, quiet="00:00-00:00")
        subscribed(server.browser(), service, 3, muted=[workspace])
        subscribed(server.browser(), service, 4, events=["failed"])
        asks(Ledger(server.vault / "state"), session, f"deploy --token {SECRET}")
        until(lambda: service.texts)
        subscribed(server.browser(), service, 5)
        asks(Ledger(server.vault / "state"), session, "touch b.txt")
        until(lambda: len(service.texts) == 3)

    first, *others = service.texts
    assert first["title"] == "An agent waits for you" and first["body"].startswith(
        "harbour: Paint boat 1\nBash: deploy"
    )
    assert SECRET not in json.dumps(service.texts)
    assert sorted(bool(each["body"]) for each in others) == [False, True]


def test_a_push_service_that_is_silent_blocks_nobody(places, tmp_path):
    """While a push service never answers, requests are shown and decided as ever, and the server ends at once."""
    with PushThread(tmp_path) as service, serving(*places, outgoing=service.outgoing()) as server:
        service.answers = ["silence"] * 50
        session = on_the_board(server, 1)
        browser = server.browser()
        subscribed(browser, service, 1)
        ledger = Ledger(server.vault / "state")
        asks(ledger, session, "touch a.txt")
        until(lambda: service.texts)
        for number in range(6):
            row = asks(ledger, session, f"touch {number}.txt")
            until(lambda: row.id in [each["id"] for each in browser.get("/api/approvals").json["cards"]])  # noqa: B023
            denial = {"digest": row.digest, "behavior": "deny", "at": wire_time(datetime.now(UTC))}
            answer = browser.post(f"/api/approvals/{row.id}", denial)
            assert (answer.status, answer.json["state"]) == (200, "denied")
