"""What a phone is told about permission requests."""

from typing import Any

from chorus.testing.mobile_contract.phone import Phone
from chorus.testing.mobile_contract.world import World

_KEYS = {"requestId", "digest", "tool", "kind", "title", "input", "hints", "isAnswerable", "whyNot", "createdAt"}


def a_request_is_sent_once_and_then_resolved(world: World) -> None:
    """An agent that asks is one message, with the whole input; when it is over, that is one message, too."""
    phone = Phone()
    line = phone.subscribe(world)
    phone.listen(line, lambda: phone.hellos)
    command = "make " + "x" * 3_000
    request = world.ask(command)
    phone.listen(line, lambda: _of(phone, request))
    world.withdraw(request)
    phone.listen(line, lambda: len(_of(phone, request)) == 2)
    line.cut()
    asked, resolved = _of(phone, request)
    assert asked.keys() >= _KEYS
    assert asked["type"] == "permission_request"
    assert command in asked["input"]
    assert resolved == {"type": "permission_resolved", "requestId": request}


def hello_names_the_requests_that_wait(world: World) -> None:
    """A phone that comes back learns which requests wait, and that others are over, also without naming them."""
    phone = Phone()
    line = phone.subscribe(world)
    stays, goes = world.ask("make stay"), world.ask("make go")
    phone.listen(line, lambda: _of(phone, stays) and _of(phone, goes))
    line.cut()
    world.withdraw(goes)
    line = phone.subscribe(world)
    phone.listen(line, lambda: len(_of(phone, goes)) == 2)
    line.cut()
    forgetful = Phone()
    line = forgetful.subscribe(world)
    forgetful.listen(line, lambda: _of(forgetful, stays))
    line.cut()
    for each in (phone.hellos[-1], forgetful.hellos[-1]):
        assert stays in each["pending"]
        assert goes not in each["pending"]
    assert len(_of(phone, stays)) == 1
    world.withdraw(stays)


def _of(phone: Phone, request: str) -> list[dict[str, Any]]:
    """Returns what the phone heard of a request, in order."""
    return [each["message"] for each in phone.heard if each["message"].get("requestId") == request]
