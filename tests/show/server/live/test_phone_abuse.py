"""Tests that a phone that misbehaves gets a clear answer, costs little, and disturbs no other phone."""

import contextlib
import json
import random
import string
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from websockets.exceptions import ConnectionClosed

from chorus.core.records.times import wire_time
from chorus.mobile import MobileServer
from chorus.show.server.edge.limits import Limits
from chorus.show.server.live.hub import Hub
from chorus.show.server.live.phone_actions import NEEDED
from chorus.show.server.live.phone_socket import MAX_IN_FLIGHT
from chorus.testing.builders import Session
from tests.show.server.bad_link import bad_link
from tests.show.server.pairing_steps import paired
from tests.show.server.phones import Phone, bodies, name_of, opened
from tests.show.server.serving import PATIENCE_S, Browser, Live, Serving, serving, session_of
from tests.steer.approvals import samples

ANSWER = {"type": "permission_response", "requestId": "q", "digest": "d", "at": ""}


class Bystander:
    """Another phone, which follows a conversation all the time and must notice nothing."""

    def __init__(self, server: Serving, browser: Browser, session: Session, live: Live, phone: Phone) -> None:
        self._server, self._session, self._live, self._phone = server, session, live, phone
        self.browser = browser
        self._said = ["first"]

    def check(self) -> None:
        """Something happens in the conversation: it arrives, once and in order."""
        self._said.append(f"words {len(self._said)}")
        self._session.user(self._said[-1])
        self._server.write(self._session)
        self._phone.hear(self._live, lambda: self._said[-1] in self._phone.prompts())
        assert self._phone.prompts() == self._said


@contextlib.contextmanager
def bystander(server: Serving) -> Iterator[Bystander]:
    session = session_of("first")
    server.write(session)
    browser = server.browser()
    name = name_of(browser, session)
    phone = Phone(name)
    with phone.on(browser, replay=[name]) as live:
        phone.hear(live, lambda: phone.prompts() == ["first"])
        yield Bystander(server, browser, session, live, phone)


def error_of(live: Live) -> dict[str, Any]:
    frame = live.until(lambda frame: any(each["type"] == "error" for each in bodies(frame)))
    return next(each for each in bodies(frame) if each["type"] == "error")


def close_code(live: Live) -> int:
    with pytest.raises(ConnectionClosed) as closed:
        live.until(lambda frame: False)
    assert closed.value.rcvd is not None
    return closed.value.rcvd.code


def greeted(live: Live) -> None:
    live.until(lambda frame: any(each["type"] == "hello" for each in bodies(frame)))


def test_a_phone_that_never_confirms_is_not_read_for(places):
    """It gets 32 steps and then nothing more, however much happens; when it confirms, it gets the rest in order."""
    with serving(*places) as server, bystander(server) as other:
        silent = Phone(name_of(other.browser, other._session))
        with silent.on(other.browser) as live:
            greeted(live)
            for _ in range(MAX_IN_FLIGHT + 20):
                other.check()
            steps = []
            with contextlib.suppress(TimeoutError):
                while True:
                    steps += [frame for frame in [live.next(timeout=1.5)] if frame["seq"] is not None]
            assert len(steps) == MAX_IN_FLIGHT
            for frame in live.heard:
                silent.take(frame)
            live.say({"type": "ack", "seq": steps[-1]["seq"]})
            silent.hear(live, lambda: other._said[-1] in silent.prompts())
        assert silent.prompts() == other._said[1:]


def test_a_phone_that_reads_nothing_is_let_go_at_once_when_its_login_ends(places, monkeypatch):
    """While megabytes wait for a phone that reads nothing, others go on; when its login ends, its socket is closed."""
    gone = threading.Event()
    dismiss = Hub.dismiss
    monkeypatch.setattr(Hub, "dismiss", lambda hub, guest: (dismiss(hub, guest), gone.set()))
    with serving(*places, limits=Limits()) as server, bystander(server) as other:
        large = session_of("large", session_id=str(UUID(int=1, version=4)))
        for _ in range(60):
            large.assistant("x" * 400_000)
        server.write(large)
        thief = server.browser()
        name = name_of(thief, large)
        with bad_link(server.port, delay_s=0.0, breaks=0.0) as link:
            stolen = MobileServer(lambda: f"{server.address}/#t={server.link()}", through=("127.0.0.1", link.port))
            said = {"type": "subscribe", "ticket": stolen.ticket(), "conversations": [name], "replay": [name]}
            with stolen.open() as line:
                line.say(json.dumps(said))
                assert json.loads(line.hear())["messages"][0]["message"]["type"] == "hello"
                link.stall()
                other.check()
                assert not gone.is_set()
                thief.cookie = stolen._cookie
                assert thief.post("/api/logout").status == 204
                assert gone.wait(5)
                other.check()


def test_a_socket_that_says_too_much_that_is_wrong_is_closed(places):
    """After a hundred messages that cannot be read, and after one that is larger than the server takes, it ends."""
    with serving(*places) as server, bystander(server) as other:
        with Phone().on(other.browser) as live:
            greeted(live)
            for _ in range(100):
                live.say("{")
            assert close_code(live) == 1008
        other.check()
        with Phone().on(other.browser) as live:
            greeted(live)
            live.say({"type": "send", "runId": "r", "content": "x" * 100_000})
            assert close_code(live) == 1009
        other.check()
        with Phone().on(other.browser) as live:
            greeted(live)
            live.say(b'{"type":"ack","seq":0}')
            assert error_of(live)["kind"] == "bad_message"
        other.check()


def test_a_ticket_is_for_one_socket_of_one_login_and_half_a_minute(places, monkeypatch):
    """A ticket that was used, is somebody else's, or is too old is refused; the login then gets a new one."""
    with serving(*places) as server, bystander(server) as other:
        mine, theirs = server.browser(), server.browser()
        used = mine.ticket()
        late = mine.ticket()

        def code_for(ticket: str) -> int | None:
            with opened(mine) as socket:
                socket.send(json.dumps({"type": "subscribe", "ticket": ticket}))
                try:
                    return len(socket.recv(timeout=PATIENCE_S)) and None
                except ConnectionClosed as closed:
                    return closed.rcvd.code if closed.rcvd else -1

        assert code_for(used) is None
        assert [code_for(used), code_for(theirs.ticket()), code_for("")] == [4401, 4401, 4401]
        monkeypatch.setattr("chorus.show.server.edge.tickets.TICKET_S", 0.0)
        assert code_for(mine.ticket()) == 4401
        assert code_for(late) is None
        other.check()


@pytest.mark.parametrize("way", ["before", "during"])
def test_a_revoked_device_is_let_go(places, way):
    """A device that was revoked gets no ticket and no socket, and the one that is open is closed."""
    with serving(*places) as server, bystander(server) as other:
        device = Browser(server.port)
        paired(other.browser, device, "read", name="lost")
        ticket = device.ticket()
        phone = Phone()
        with contextlib.ExitStack() as stack:
            live = stack.enter_context(phone.on(device)) if way == "during" else None
            if live is not None:
                greeted(live)
            assert other.browser.post(f"/api/devices/{samples.key('lost').id}/revoke").status == 200
            if live is not None:
                assert close_code(live) == 4401
        assert device.post("/api/ticket").status == 401
        with pytest.raises(Exception, match="401"), opened(device) as socket:
            socket.send(json.dumps({"type": "subscribe", "ticket": ticket}))
        other.check()


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_clock_that_is_off_approves_nothing(places, hours):
    """An approval with a time an hour away, or with none, is refused with the reason. To deny is possible."""
    with serving(*places) as server, bystander(server) as other, Phone().on(other.browser) as live:
        greeted(live)
        then = wire_time(datetime.now(UTC) + timedelta(hours=hours))
        for behavior, at, kind in [
            ("allow", then, "clock_off"),
            ("allow", "a while ago", "bad_message"),
            ("allow", "2026-05-20T10:11:12", "bad_message"),
            ("allow", wire_time(datetime.now(UTC)), "unknown"),
            ("deny", then, "unknown"),
        ]:
            live.say({**ANSWER, "behavior": behavior, "at": at, "ref": "r"})
            error = error_of(live)
            assert (error["kind"], error["ref"]) == (kind, "r"), (behavior, at)
            assert kind != "clock_off" or f"60 minutes {'ahead' if hours > 0 else 'behind'}" in error["message"]
        other.check()


def noise(chance: random.Random, depth: int = 0) -> Any:
    """Returns a random JSON value, with what is hard to read in it."""
    kinds = [
        lambda: None,
        lambda: chance.choice([True, False]),
        lambda: chance.choice([0, -1, 1 << 53, 1 << 63, -(1 << 70), 1e308, 0.1]),
        lambda: "".join(chance.choices(string.printable + "é€\U0001f600\u202e\x00", k=chance.randrange(40))),
        lambda: "x" * chance.choice([501, 20_001]),
        lambda: [noise(chance, depth + 1) for _ in range(chance.randrange(4))],
        lambda: {key: noise(chance, depth + 1) for key in chance.choices(["type", "a", "ref", ""], k=2)},
    ]
    return chance.choice(kinds if depth < 3 else kinds[:4])()


def message(chance: random.Random) -> str:
    """Returns what a broken phone may say: fields of every message with random values, cut, nested, or no JSON."""
    fields = ["ref", "seq", "runId", "content", "conversations", "replay", "known", "ticket", "epoch", "requestId"]
    fields += ["digest", "behavior", "at", "input", "suggestions", "approver", "signature", "conversation", "projectId"]
    said = {name: noise(chance) for name in chance.sample(fields, chance.randrange(8))}
    said["type"] = chance.choice([*NEEDED, *NEEDED, "hello", "", None, 7])
    text = json.dumps(said)
    match chance.randrange(8):
        case 0:
            return text[: chance.randrange(len(text))]
        case 1:
            return "[" * chance.choice([10, 5_000]) + text
        case 2:
            return text.replace('"type"', '"type": "ack", "type"')
        case 3:
            return chance.choice(["NaN", "", " ", "\ufeff" + text, text + text, "\\ud800", '"\\ud800"'])
        case _:
            return text


def fuzz(server: Serving, other: Bystander, rounds: int, seed: int) -> int:
    """Says random things over many sockets; each is answered or closes its socket. Returns how many were said."""
    chance, count = random.Random(seed), 0
    for _ in range(rounds):
        with Phone().on(other.browser) as live:
            greeted(live)
            with contextlib.suppress(ConnectionClosed):
                for _ in range(40):
                    count += 1
                    live.say(message(chance))
                live.say({"type": "subscribe", "conversations": [], "ref": "still there"})
                live.until(lambda frame: any(each.get("ref") == "still there" for each in bodies(frame)))
            kinds = {each["kind"] for frame in live.heard for each in bodies(frame) if each["type"] == "error"}
            assert "failed" not in kinds and "internal" not in kinds, kinds
        other.check()
    return count


def test_nothing_that_a_phone_says_disturbs_the_server(places, caplog):
    """Random messages are answered with errors; the server logs no failure, and another phone goes on."""
    with serving(*places) as server, bystander(server) as other:
        assert fuzz(server, other, rounds=10, seed=3) > 300
    assert [record for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")] == []


@pytest.mark.long
def test_nothing_that_many_phones_say_disturbs_the_server(places, caplog):
    """The same with 20,000 messages."""
    with serving(*places) as server, bystander(server) as other:
        assert fuzz(server, other, rounds=500, seed=4) > 15_000
    assert [record for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")] == []
