"""Tests of T8: a thief has the unlocked phone, which was paired. Its scope is all they have, until it is revoked.

Each route is tried with each scope in `tests/show/server/edge/test_scopes.py`.
"""

import asyncio
import contextlib
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from chorus.core.notifications.notices import Notification
from chorus.core.records.times import wire_time
from chorus.show.server.push.devices import Devices, Subscription
from chorus.show.server.push.encryption import packed
from chorus.show.server.push.sender import PushSender
from chorus.steer.approvals import trust
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.model import Decision, Row
from chorus.steer.approvals.signing import PublicKey, Signer, signed_bytes
from tests.security.test_a8_logins import _closed
from tests.show.server.lan import LAN, LanPhone, needs_lan
from tests.show.server.pairing_steps import claim_of, offered, paired
from tests.show.server.phones import opened
from tests.show.server.push.push_service import PushService, PushThread
from tests.show.server.push.push_service import until as until_so
from tests.show.server.serving import PATIENCE_S, Browser, Serving, serving, session_of, until
from tests.show.server.test_approvals import asked, enrolled, now
from tests.steer.approvals import samples

NOTE = Notification(event="needs-you", title="An agent waits for you", body="", tag="t" * 32, conversation="w/main/s")
HOUR = timedelta(hours=1)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A server with one conversation that phones reach."""
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "vault"))
    with serving(tmp_path / "vault", tmp_path / "client", lan=LAN) as server:
        server.write(session_of())
        browser = server.browser()
        until(lambda: browser.get("/api/conversations").json.get("conversations"))
        yield server


def phone_of(home: Serving, scope: Any, name: str) -> LanPhone:
    phone = LanPhone(home)
    paired(home.browser(), phone, scope, name=name)
    return phone


def answered(row: Row, behaviour: str, key: Signer | None = None, at: str | None = None) -> dict[str, Any]:
    """Returns an answer to a request, signed if there is a key."""
    given: dict[str, Any] = {"digest": row.digest, "behavior": behaviour, "at": at or now()}
    if key is None:
        return given
    decision = Decision(behaviour="allow", at=given["at"], surface="page", approver=key.id)
    return given | {"approver": key.id, "signature": key.sign(signed_bytes(row.id, row.digest, decision))}


def admitted(computer: Browser, own: Signer, phone: Browser, name: str) -> None:
    """Makes a paired phone an approver, as an approver on the computer does."""
    key = samples.key(name)
    assert enrolled(computer, own).status == 200
    waiting = enrolled(phone, key, name).json
    public = PublicKey(key.public_key.x, key.public_key.y)
    change = trust.Change(action="add", id=key.id, at=now(), name=name, kind="browser", public_key=public, by=own.id)
    body = {"action": "add", "id": key.id, "at": change.at, "by": own.id}
    signature = own.sign(trust.entry_bytes(change, waiting["head"]))
    assert computer.post("/api/approvers/changes", {**body, "signature": signature}).status == 200


@needs_lan
def test_t8_what_a_thief_may_do_is_the_scope(home):
    """T8: a phone that reads steers and answers nothing, one that steers answers nothing, one that approves denies and
    cannot allow without being an approver; none reaches devices, rules, exports, deletions or undoing."""
    row = asked(Ledger(home.vault / "state"))
    name = home.browser().get("/api/conversations").json["conversations"][0]["name"]
    of = f"/api/conversations/{name}"
    never = {
        "/api/devices/pairing": {"scope": "approve"},
        "/api/devices/pairing/answer": {"code": "000000", "is_confirmed": True},
        f"/api/devices/{samples.key('reads').id}/revoke": None,
        "/api/rules": {},
        "/api/approvers/changes": {},
        f"{of}/export": {},
        f"{of}/forget": {},
        f"{of}/changes/undo": {},
        "/api/login": {"token": home.link()},
    }
    steering = {"/api/runs": {}, "/api/runs/some/messages": {}, "/api/runs/some/stop": None, f"{of}/annotation": {}}
    for scope in ("read", "steer", "approve"):
        phone = phone_of(home, scope, f"{scope}s")
        assert phone.get("/api/conversations").status == 200
        for path, body in never.items():
            assert phone.post(path, body).status == 403, (scope, path)
        for path, body in steering.items():
            assert (phone.post(path, body).status == 403) == (scope == "read"), (scope, path)
        allowed = phone.post(f"/api/approvals/{row.id}", answered(row, "allow", samples.key(f"{scope}s")))
        assert allowed.status == 403, scope
        assert _state(home, row) == "pending"
    assert phone.post(f"/api/approvals/{row.id}", answered(row, "deny")).json["state"] == "denied"


@needs_lan
@pytest.mark.parametrize("scope", ["steer", "approve"])
def test_t8_a_thief_cannot_start_an_agent_that_does_not_ask(home, scope):
    """T8, A10: a device cannot choose a mode in which an agent acts without asking, which would need no approval; a
    browser of the computer can."""
    phone, computer = phone_of(home, scope, f"{scope}s"), home.browser()

    def started(who: Browser, mode: str | None) -> int:
        return who.post("/api/runs", {"place": "none", "message": {"text": "x"}, "mode": mode}).status

    for mode in ("acceptEdits", "auto"):
        assert started(phone, mode) == 403
        assert started(computer, mode) == 404, "there is no such folder"
    for mode in (None, "default", "plan", "dontAsk"):
        assert started(phone, mode) == 404
    assert phone.get("/api/places").json["modes"] == ["default", "plan", "dontAsk"]
    assert "auto" in computer.get("/api/places").json["modes"]
    for mode in ("bypassPermissions", "Auto", "acceptEdits "):
        assert started(phone, mode) == started(computer, mode) == 400


@needs_lan
def test_t8_revoking_ends_sockets_and_push(tmp_path, monkeypatch):
    """T8: after revoking, both sockets are closed and the subscription is gone; another device still gets its push."""
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "vault"))
    with (
        PushThread(tmp_path) as service,
        serving(tmp_path / "vault", tmp_path / "client", lan=LAN, outgoing=service.outgoing()) as home,
        contextlib.ExitStack() as sockets,
    ):
        computer, stolen, kept = home.browser(), phone_of(home, "steer", "stolen"), phone_of(home, "read", "kept")
        for phone, given in ((stolen, service.subscription()), (kept, _another(service))):
            subscription = {"endpoint": given.endpoint, "key": packed(given.key), "secret": packed(given.secret)}
            assert phone.post("/api/notifications/subscription", subscription).status == 204
        # The first try fails, so that a message for the stolen phone waits.
        service.answers = ["503 Busy"]
        assert stolen.post("/api/notifications/trial").status == 204
        until(lambda: len(service.texts) == 1)
        live = sockets.enter_context(stolen.live())
        mobile = sockets.enter_context(opened(stolen))
        mobile.send(json.dumps({"type": "subscribe", "ticket": stolen.ticket(), "conversations": []}))
        live.until(lambda frame: frame["type"] == "welcome")
        mobile.recv(timeout=PATIENCE_S)

        assert computer.post(f"/api/devices/{samples.key('stolen').id}/revoke").status == 200
        stored = json.loads((home.vault / "state" / "notifications.json").read_text())["devices"]
        assert len(stored) == 1
        assert _closed(live.socket) is not None
        assert _closed(mobile) is not None
        assert kept.post("/api/notifications/trial").status == 204
        until(lambda: len(service.texts) == 2)
    assert len(service.texts) == 2


def _another(service: PushService) -> Subscription:
    """Returns the subscription of another device of the same service."""
    given = service.subscription()
    return Subscription(f"{given.endpoint}/other", given.key, given.secret)


def test_t8_a_push_that_waits_is_not_sent_after_revoking(tmp_path):
    """T8: a message that waits for its next try is dropped when its device is revoked: the service hears nothing."""
    service, devices = PushService(tmp_path), Devices(tmp_path / "state" / "notifications.json")
    service.answers = ["503 Busy"] * 9
    sender = PushSender(devices, service.outgoing(), lambda: "mailto:a@example.org", delays_s=(0.5,) * 9)

    async def go() -> None:
        async with service.open(), asyncio.TaskGroup() as group:
            devices.subscribe("stolen", service.subscription())
            devices.subscribe("kept", _another(service))
            task = group.create_task(sender.run())
            await asyncio.sleep(0)
            sender.send("stolen", NOTE)
            await until_so(lambda: len(service.texts) == 1)
            devices.drop_login("stolen")
            await until_so(lambda: not sender._waiting)
            assert len(service.texts) == 1
            service.answers = []
            sender.send("kept", NOTE)
            await until_so(lambda: sender.sent == 1)
            task.cancel()

    asyncio.run(go())


@needs_lan
@pytest.mark.parametrize("off", [-HOUR, HOUR], ids=["an hour behind", "an hour ahead"])
def test_t8_a_phone_whose_clock_is_off_by_an_hour_works(home, off):
    """A phone whose clock is an hour off pairs and approves: its clock only says what it believes. After it is revoked,
    the same signature does not count."""
    computer, phone, own = home.browser(), LanPhone(home), samples.key("of the computer")
    claimed = phone.post("/api/pair", claim_of(offered(computer, "approve"), "approve", name="off")).json
    computer.post("/api/devices/pairing/answer", {"code": claimed["code"], "is_confirmed": True})
    assert phone.post("/api/pair/finish", {"claim": claimed["claim"]}).json == {"is_paired": True}
    admitted(computer, own, phone, "off")
    first, second = asked(Ledger(home.vault / "state")), asked(Ledger(home.vault / "state"), "touch b.txt")
    at = wire_time(datetime.now(UTC) + off)
    signed = answered(first, "allow", samples.key("off"), at)
    assert phone.post(f"/api/approvals/{second.id}", signed).status in (403, 409), "a signature over another request"
    approved = phone.post(f"/api/approvals/{first.id}", signed)
    assert approved.json["state"] == "approved", approved
    computer.post(f"/api/devices/{samples.key('off').id}/revoke")
    again = answered(second, "allow", samples.key("off"), at)
    assert phone.post(f"/api/approvals/{second.id}", again).status == 401
    assert _state(home, second) == "pending"


def _state(home: Serving, row: Row) -> str | None:
    found = Ledger(home.vault / "state").row(row.id)
    return None if found is None else found.state
