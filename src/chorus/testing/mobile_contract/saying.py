"""What a server answers to what a phone says."""

import json
from typing import Any

from chorus.testing.mobile_contract.phone import Phone
from chorus.testing.mobile_contract.world import World


def hello_says_what_the_login_may_do(world: World) -> None:
    """The first message is `hello`, with the version, the scopes, and the types that this login may send."""
    phone = Phone()
    line = phone.subscribe(world)
    heard = phone.listen(line, lambda: phone.hellos)
    line.cut()
    hello = heard[0]
    assert (hello["type"], hello["version"], hello["isReset"]) == ("hello", "chorus.mobile.v1", False)
    assert set(hello["scopes"]) == {"read", "steer", "approve"}
    assert {"subscribe", "ack", "send", "permission_response"} <= set(hello["capabilities"])


def another_version_is_answered_and_let_go(world: World) -> None:
    """A phone that offers a version that the server does not speak gets the error `unknown_version`."""
    line = world.open("chorus.mobile.v99")
    answer = json.loads(line.hear())["messages"][0]["message"]
    assert (answer["type"], answer["kind"]) == ("error", "unknown_version")
    line.cut()


def a_socket_begins_with_subscribe(world: World) -> None:
    """A phone that says something else first, or has no ticket, gets the error `out_of_order`."""
    for said in ({"type": "ack", "seq": 1}, {"type": "subscribe", "conversations": []}):
        line = world.open()
        line.say(json.dumps(said))
        answer = json.loads(line.hear())["messages"][0]["message"]
        assert (answer["type"], answer["kind"]) == ("error", "out_of_order"), said
        line.cut()


def unknown_fields_are_ignored(world: World) -> None:
    """A message with fields that the server does not know is accepted."""
    phone = Phone()
    line = phone.subscribe(world, inventedByTheContract={"a": [1]})
    line.say(json.dumps({"type": "subscribe", "conversations": [], "ref": "r", "another": 1}))
    assert phone.answer(line, "r")["type"] == "done"
    line.cut()


def what_cannot_be_read_is_answered(world: World) -> None:
    """Malformed, unknown, oversized and early messages each get an error, with their `ref` if they have one;
    afterwards the socket works as before."""
    phone = Phone(world.conversation)
    line = phone.subscribe(world)
    wrong: list[tuple[Any, str]] = [
        ("{", "bad_message"),
        ("[]", "bad_message"),
        ({"type": "invented"}, "unknown_type"),
        ({"type": "send", "runId": 1, "content": "x"}, "bad_message"),
        ({"type": "send", "runId": "r", "content": "x" * 40_000}, "too_large"),
        ({"type": "ack", "seq": 1 << 50}, "out_of_order"),
        ({"type": "subscribe", "ticket": "t"}, "out_of_order"),
        ({"type": "stop", "runId": "there is none"}, "not_found"),
    ]
    for number, (said, kind) in enumerate(wrong):
        ref = None if isinstance(said, str) else f"wrong {number}"
        line.say(said if isinstance(said, str) else json.dumps({**said, "ref": ref}))
        assert phone.answer(line, ref, ("error",))["kind"] == kind, said
    world.grow("still there")
    phone.listen(line, lambda: "still there" in phone.prompts())
    line.cut()
