"""Tests phones that ask for too much at once, forge positions, or fall silent: others notice nothing of them."""

import contextlib
import itertools
import json
import socket
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from chorus.show.server.edge.limits import Limits
from chorus.show.server.live.phone_actions import NEEDED
from tests.show.server.live.test_phone_abuse import bystander, close_code, greeted
from tests.show.server.live.test_phone_socket import ACTIONS
from tests.show.server.pairing_steps import paired
from tests.show.server.phones import Phone, bodies, name_of, opened
from tests.show.server.serving import QUICK, Browser, Live, serving

FORGED = (-1, -(1 << 63), 1 << 40, (1 << 63) - 1, 1 << 64, 10**400, 1.5, True, "7", [7], {"seq": 7})


def answers(live: Live, ref: str) -> list[dict[str, Any]]:
    """Returns everything up to the answer with this `ref`."""
    before = len(live.heard)
    live.until(lambda frame: any(each.get("ref") == ref for each in bodies(frame)))
    return [each for frame in live.heard[before:] for each in bodies(frame)]


def prompts_in(live: Live) -> list[str]:
    """Returns the prompts that came, in order."""
    every = [each for frame in live.heard for each in bodies(frame)]
    return [each["content"] for each in every if each["type"] == "user_message"]


def test_positions_that_are_forged_are_refused_or_begin_again(places):
    """No epoch and no number in `subscribe` or `ack` makes a server fail, or skip something."""
    with serving(*places) as server, bystander(server) as other:
        name = name_of(other.browser, other._session)
        with Phone(name).on(other.browser) as live:
            greeted(live)
            epoch = bodies(live.heard[0])[0]["epoch"]
        for n, seq in enumerate(FORGED):
            new = Phone(name)
            first = {"replay": [name], "ref": f"s{n}", "epoch": epoch, "seq": seq}
            with new.on(other.browser, **first) as live, contextlib.suppress(ConnectionClosed):
                found = answers(live, f"s{n}")
                if found[-1]["type"] == "error":
                    # What cannot be read is answered, and the socket still waits for a `subscribe`.
                    assert found[-1]["kind"] == "bad_message", (seq, found)
                    live.say({"type": "subscribe", "conversations": [name], "ref": f"u{n}"})
                    found = answers(live, f"u{n}")
                hello = next(each for each in found if each["type"] == "hello")
                assert hello["isReset"] and hello["seq"] < 1 << 40, seq
                live.say({"type": "ack", "seq": seq, "ref": f"a{n}"})
                live.say({"type": "subscribe", "conversations": [name], "ref": f"t{n}"})
                answers(live, f"t{n}")
                kinds = [each["kind"] for f in live.heard for each in bodies(f) if each["type"] == "error"]
                assert set(kinds) <= {"out_of_order", "bad_message"}, (seq, kinds)
            other.check()
        for forged in ("", "0" * 16, epoch.upper(), f"{epoch} ", "é\u0000"):
            with Phone(name).on(other.browser, epoch=forged, seq=0) as live:
                greeted(live)
                assert bodies(live.heard[0])[0]["isReset"], forged
        other.check()


def test_subscriptions_in_a_storm_end_in_the_last_one(places):
    """Hundreds of subscriptions with replays and the board leave a socket that follows what the last one names, and
    another phone that gets everything."""
    with serving(*places, limits=Limits(sockets_per_login=10)) as server, bystander(server) as other:
        name = name_of(other.browser, other._session)
        storms = [Phone(name) for _ in range(6)]
        with contextlib.ExitStack() as stack:
            sockets = [stack.enter_context(each.on(server.browser())) for each in storms]
            for live in sockets:
                greeted(live)
            for n, live in itertools.product(range(60), sockets):
                whole = {"conversations": [name], "replay": [name], "board": True}
                live.say({"type": "subscribe", **whole, "ref": f"r{n}"})
                live.say({"type": "subscribe", "conversations": [], "ref": f"e{n}"})
            other.check()
            for live in sockets:
                live.say({"type": "subscribe", "conversations": [name], "replay": [name], "ref": "last"})
                answers(live, "last")
                # What is replayed may come after the answer.
                while prompts_in(live)[-len(other._said) :] != other._said:
                    live.until(lambda frame: bool(bodies(frame)))
        other.check()


def test_more_sockets_than_a_login_may_have_are_refused_and_the_others_stay(places):
    """The eleventh socket of a login is closed with 1013; a second login still gets one."""
    with serving(*places) as server, bystander(server) as other:
        mine = server.browser()
        with contextlib.ExitStack() as stack:
            for _ in range(10):
                greeted(stack.enter_context(Phone().on(mine)))
            with opened(mine) as more:
                assert close_code(Live(more)) == 1013
            greeted(stack.enter_context(Phone().on(server.browser())))
            other.check()


def test_sockets_that_say_nothing_are_closed(places):
    """A socket without a first message ends; one whose other half vanished holds nobody up."""
    with serving(*places, limits=QUICK) as server, bystander(server) as other:
        with opened(other.browser) as silent, pytest.raises(ConnectionClosed) as closed:
            silent.recv(timeout=20)
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1013
        halves = []
        for _ in range(5):
            half = socket.create_connection(("127.0.0.1", server.port))
            half.sendall(b"GET /api/mobile HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n")
            halves.append(half)
        other.check()
        for half in halves:
            half.close()


@pytest.mark.parametrize("scope", ["read", "steer", "approve"])
def test_each_message_needs_its_scope(places, scope):
    """A device that was paired to read, steer or approve may say exactly what its scope has, and `hello` names it."""
    rank = ["read", "steer", "approve"]
    with serving(*places) as server, bystander(server) as other:
        device = Browser(server.port)
        assert paired(other.browser, device, scope, name=f"{scope}s").status in (200, 204)
        with Phone().on(device) as live:
            greeted(live)
            allowed = {kind for kind, needed in NEEDED.items() if rank.index(needed) <= rank.index(scope)}
            hello = bodies(live.heard[0])[0]
            assert set(hello["capabilities"]) == allowed
            assert set(hello["scopes"]) == set(rank[: rank.index(scope) + 1])
            said = [*ACTIONS, {"type": "subscribe", "conversations": []}, {"type": "ack", "seq": 1 << 40}]
            assert {each["type"] for each in said} == set(NEEDED)
            for n, message in enumerate(said):
                live.say({**message, "ref": f"m{n}"})
                answer = next(each for each in answers(live, f"m{n}") if each.get("ref") == f"m{n}")
                is_refused = answer["type"] == "error" and answer["kind"] == "not_allowed"
                assert is_refused == (message["type"] not in allowed), (scope, message, answer)
        other.check()


def test_fields_that_occur_twice_do_what_the_last_one_says(places):
    """A message whose keys are repeated is judged by what is done: no earlier type lends it a scope."""
    with serving(*places) as server, bystander(server) as other:
        device = Browser(server.port)
        paired(other.browser, device, "read", name="reads")
        with Phone().on(device) as live:
            greeted(live)
            for said in (
                '{"type":"ack","seq":0,"type":"stop","runId":"r","ref":"d"}',
                '{"type":"stop","runId":"r","ref":"d","type":"ack","seq":0}',
            ):
                live.say(said)
                live.say(json.dumps({"type": "subscribe", "conversations": [], "ref": "end"}))
                found = answers(live, "end")
                assert not [each for each in found if each["type"] == "done" and each["ref"] == "d"]
        other.check()
