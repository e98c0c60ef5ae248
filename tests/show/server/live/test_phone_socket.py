"""Tests the socket of `chorus.mobile.v1`: what a phone is sent, resuming, replaying, and what it says wrongly."""

import contextlib
import json
import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from chorus.core.records.times import wire_time
from chorus.show.server.edge.limits import Limits
from chorus.testing.builders import Session, tool_use
from chorus.testing.builders.lines import Clock
from tests.show.server.phones import PROTOCOL, Phone, bodies, name_of, opened
from tests.show.server.serving import PATIENCE_S, Browser, Serving, serving, session_of

SAID = "I'll run the test suite now. Running test 5 of 20..."
ACTIONS = [
    {"type": "send", "runId": "r", "content": "x"},
    {"type": "interrupt", "runId": "r"},
    {"type": "stop", "runId": "r"},
    {"type": "start", "projectId": "p", "content": "x"},
    {"type": "resume", "conversation": "a/b/c", "content": "x"},
    {"type": "permission_response", "requestId": "q", "digest": "d", "behavior": "deny", "at": "2026-01-01T00:00:00Z"},
]


def _grow(server: Serving, session: Session, words: str) -> None:
    session.user(words)
    server.write(session)


def test_the_example_of_the_sdk_schema_over_the_socket(places):
    """The example of the SDK schema arrives as its two messages: same keys, same order, same values."""
    with serving(*places) as server:
        session = session_of("go", clock=Clock(wire_time(datetime.now(UTC))))
        server.write(session)
        browser = server.browser()
        phone = Phone(name_of(browser, session))
        with phone.on(browser) as live:
            phone.hear(live, lambda: phone.hellos)
            session.assistant(SAID, stop="tool_use")
            server.write(session)
            phone.hear(live, lambda: any(each["message"]["type"] == "progress_update" for each in phone.heard))
        assert phone.hellos[0]["version"] == PROTOCOL and not phone.hellos[0]["isReset"]
        found = [each["message"] for each in phone.heard if each["conversation"]]
        assert json.dumps(found) == json.dumps(
            [
                {"type": "claude_response", "content": SAID, "conversationId": session.id},
                {
                    "type": "progress_update",
                    "currentStep": "Running tests",
                    "completedSteps": 5,
                    "totalSteps": 20,
                    "percentage": 25.0,
                },
            ]
        )


def test_progress_ends_when_nothing_is_written_for_long(places, monkeypatch):
    """A conversation at work shows its progress; when it has gone quiet it is over, also in a replay."""
    monkeypatch.setattr("chorus.show.server.live.phone_socket._QUIET_LOOK_S", 0.1)
    with serving(*places) as server:
        session = session_of("go", clock=Clock(wire_time(datetime.now(UTC))))
        session.assistant(SAID, stop="tool_use")
        server.write(session)
        browser = server.browser()
        name = name_of(browser, session)
        there, later = Phone(name), Phone(name)

        def steps(phone: Phone) -> list[str]:
            return [each["message"]["currentStep"] for each in phone.heard if "currentStep" in each["message"]]

        with there.on(browser, replay=[name]) as live:
            there.hear(live, lambda: steps(there) == ["Running tests"])
            an_hour_later = datetime.now(UTC) + timedelta(hours=1)
            monkeypatch.setattr("chorus.show.server.live.phone_feed.utc_now", lambda: an_hour_later)
            there.hear(live, lambda: steps(there) == ["Running tests", ""])
        with later.on(browser, replay=[name], ref="all") as live:
            later.hear(live, lambda: any(m["type"] == "done" for f in live.heard for m in bodies(f)))
        assert later.prompts() == ["go"] and steps(later) == []


def test_a_replay_gives_the_messages_that_were_sent_live(places):
    """A phone that asks for a conversation from its start gets the messages that another one got as they happened."""
    with serving(*places) as server:
        session = session_of("first")
        server.write(session)
        browser = server.browser()
        name = name_of(browser, session)
        there, later = Phone(name), Phone(name)
        with there.on(browser, replay=[name], ref="all") as live:
            there.hear(live, lambda: "first" in there.prompts())
            session.assistant("Reading", tool_use("Read", {"file_path": "/a.py"}, id="r1"))
            session.tool_result("r1", "content")
            session.assistant(tool_use("ExitPlanMode", {"plan": "# Do it"}, id="p1"))
            session.user("last words")
            server.write(session)
            there.hear(live, lambda: "last words" in there.prompts())
        with later.on(browser, replay=[name], ref="all") as live:
            later.hear(live, lambda: any(m["type"] == "done" for f in live.heard for m in bodies(f)))
        own = {"claude_response", "user_message", "tool_activity", "plan"}

        def recorded(phone: Phone) -> dict[str, Any]:
            return {each["id"]: each["message"] for each in phone.heard if each["message"]["type"] in own}

        assert recorded(later) == recorded(there)
        activity = [each for each in recorded(later).values() if each["type"] == "tool_activity"]
        assert [(each["callId"], each["state"], each["kind"]) for each in activity] == [
            ("r1", "started", "reader"),
            ("r1", "done", "reader"),
        ]
        assert "/a.py" in activity[0]["subject"]
        assert any(each["type"] == "plan" and each["content"] == "# Do it" for each in recorded(later).values())


def bad_link(places, phones: int, rounds: int, delay_s: float) -> None:
    """Lets phones on a bad link follow a conversation; the server restarts in between."""
    chance = random.Random(11)
    session = session_of("first")
    with serving(*places) as server:
        server.write(session)
        name, port = name_of(server.browser(), session), server.port
    everyone = [Phone(name) for _ in range(phones)]
    cookie, said = None, ["first"]
    for _ in range(2):
        with serving(*places, port=port, limits=Limits(sockets_per_login=phones)) as server:
            browser = Browser(server.port)
            browser.cookie = cookie = cookie or server.browser().cookie
            for phone in everyone if len(said) == 1 else ():
                with phone.on(browser, replay=[name]) as live:
                    phone.hear(live, lambda: phone.prompts() == said)  # noqa: B023
            for _ in range(rounds):
                for phone in chance.sample(everyone, len(everyone)):
                    with phone.on(browser) as live:
                        before = len(phone.hellos)
                        phone.hear(live, lambda: len(phone.hellos) > before)  # noqa: B023
                        assert not phone.hellos[-1]["isReset"]
                        if chance.random() < 0.3:
                            said.append(f"words {len(said)}")
                            _grow(server, session, said[-1])
                        with contextlib.suppress(TimeoutError):
                            for _ in range(chance.randrange(4)):
                                phone.take(live.next(timeout=delay_s))
                        # The link breaks without a close frame, with frames on their way.
                        live.socket.socket.close()
            said.append(f"words {len(said)}")
            _grow(server, session, said[-1])
            for phone in everyone:
                with phone.on(browser) as live:
                    phone.hear(live, lambda: said[-1] in phone.prompts())  # noqa: B023
    assert [phone.prompts() for phone in everyone] == [said] * phones


def test_phones_on_a_bad_link_lose_nothing_and_get_nothing_twice(places):
    """Phones that are cut off at random, also by a new server, get each message once and in order."""
    bad_link(places, phones=4, rounds=2, delay_s=0.05)


def test_what_a_phone_says_wrongly_is_answered_and_disturbs_nothing(server, browser):
    """Malformed, unknown, oversized and early messages each get an error, and the socket goes on."""
    phone = Phone()
    with phone.on(browser) as live:
        phone.hear(live, lambda: phone.hellos)
        for said, kind in [
            ("{", "bad_message"),
            ("[1]", "bad_message"),
            ("\ud800".encode("utf-8", "surrogatepass").decode("latin-1"), "bad_message"),
            ({"type": "dance"}, "unknown_type"),
            ({"type": "send", "runId": 5, "content": "x"}, "bad_message"),
            ({"type": "send", "runId": "r" * 600, "content": "x"}, "bad_message"),
            ({"type": "send", "runId": "none", "content": "x" * 40_000}, "too_large"),
            ({"type": "ack", "seq": 1 << 50}, "out_of_order"),
            ({"type": "subscribe", "ticket": "again"}, "out_of_order"),
            ({"type": "send", "runId": "none", "content": "x", "ref": "7"}, "not_found"),
            ({"type": "subscribe", "conversations": ["a/b/c"], "replay": ["a/b/c"]}, "not_found"),
        ]:
            live.say(said)
            frame = live.until(lambda frame: any(each["type"] == "error" for each in bodies(frame)))
            error = next(each for each in bodies(frame) if each["type"] == "error")
            assert (said, error["kind"]) == (said, kind)
            assert error["ref"] == (said.get("ref") if isinstance(said, dict) else None)
        live.say({"type": "subscribe", "conversations": [], "ref": "fine", "unknownField": [1]})
        live.until(lambda frame: any(each.get("ref") == "fine" and each["type"] == "done" for each in bodies(frame)))


def test_another_version_or_order_is_refused(server, browser):
    """A phone without this version, without `subscribe` first or without a valid ticket is told so and let go."""
    for protocols in ((), ("chorus.mobile.v9",)):
        with opened(browser, protocols) as socket:
            assert bodies(json.loads(socket.recv(timeout=PATIENCE_S)))[0]["kind"] == "unknown_version"
            with pytest.raises(ConnectionClosed):
                socket.recv(timeout=PATIENCE_S)
    with opened(browser) as socket:
        socket.send(json.dumps({"type": "ack", "seq": 1}))
        assert bodies(json.loads(socket.recv(timeout=PATIENCE_S)))[0]["kind"] == "out_of_order"
    with opened(browser) as socket:
        socket.send(json.dumps({"type": "subscribe", "ticket": "forged"}))
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(timeout=PATIENCE_S)
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 4401
        assert "new ticket" in closed.value.rcvd.reason


def test_a_login_does_only_what_its_scopes_allow(server, browser, monkeypatch):
    """A login that may only read is told so in `hello`, and every action is refused."""
    monkeypatch.setattr("chorus.show.server.live.phone_socket.scopes_of", lambda scope: frozenset({"read"}))
    phone = Phone()
    with phone.on(browser) as live:
        phone.hear(live, lambda: phone.hellos)
        assert phone.hellos[0]["scopes"] == ["read"]
        assert phone.hellos[0]["capabilities"] == ["subscribe", "ack"]
        for action in ACTIONS:
            live.say(action)
            frame = live.until(lambda frame: any(each["type"] == "error" for each in bodies(frame)))
            assert {each["kind"] for each in bodies(frame) if each["type"] == "error"} == {"not_allowed"}


def test_logging_out_closes_the_socket_of_a_phone(server):
    """A socket of a session that has ended is closed."""
    browser, phone = server.browser(), Phone()
    with phone.on(browser) as live:
        phone.hear(live, lambda: phone.hellos)
        assert browser.post("/api/logout").status == 204
        with pytest.raises(ConnectionClosed) as closed:
            live.until(lambda frame: False)
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 4401


def test_an_old_position_begins_again(server, browser):
    """A phone with a position of another epoch, or ahead of the feed, is told to begin again and gets the lists."""
    for place in ({"epoch": "0123456789abcdef", "seq": 3}, {"epoch": None, "seq": None}):
        phone = Phone()
        phone.place = place
        with phone.on(browser) as live:
            live.until(lambda frame: any(each["type"] == "session_list" for each in bodies(frame)))
            hello = bodies(live.heard[0])[0]
            assert hello["isReset"] == (place["epoch"] is not None)
