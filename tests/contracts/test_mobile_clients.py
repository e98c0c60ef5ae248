"""Tests our client in Python with the cases for clients of `chorus.mobile.v1`; `web/src/testing` tests the other."""

import contextlib
import json
from collections import deque
from collections.abc import Iterator
from typing import Any

import pytest

from chorus.errors import Unreachable
from chorus.mobile import MobileClient, Store
from chorus.testing.mobile_contract import client_cases

CONVERSATION, CASES = client_cases()


class Scripted:
    """A server and its line that play one case, and compare what the client says."""

    def __init__(self, steps: list[dict[str, Any]]) -> None:
        self._steps = deque(steps)
        self._said: deque[dict[str, Any]] = deque()
        self._ref: str | None = None
        self._is_new = False
        self.client: MobileClient

    def ticket(self) -> str:
        return "t"

    @contextlib.contextmanager
    def open(self) -> Iterator["Scripted"]:
        yield self

    def close(self) -> None:
        pass

    def say(self, text: str) -> None:
        self._said.append(json.loads(text))

    def hear(self) -> str:
        while self._steps:
            step = self._steps[0]
            if "subscribes" in step and not self._said:
                # It comes over a new connection.
                raise Unreachable("nothing was said")
            self._steps.popleft()
            match step:
                case {"subscribes": expected}:
                    said = self._said.popleft()
                    self._is_new, self._ref = "ticket" in said, said["ref"]
                    assert {name: said.get(name) for name in expected} == expected
                case {"says": expected}:
                    assert self._said.popleft() == expected
                case {"breaks": _}:
                    assert not self._said, "it said what nobody asked for"
                    raise Unreachable("cut")
                case {"sends": frame}:
                    assert not self._said, "it said what nobody asked for"
                    if self._is_new or not step.get("onNewSocketOnly"):
                        return json.dumps(frame).replace('"$ref"', json.dumps(self._ref))
        assert not self._said
        self.client.stop()
        raise Unreachable("over")


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_our_client(case: dict[str, Any], tmp_path):
    """The client in Python does what the case says, also when it stores in a file."""
    for store in (Store(), Store(tmp_path / "phone")):
        scripted = Scripted(case["steps"])
        client = scripted.client = MobileClient(scripted, store, [CONVERSATION], delays_s=(0.0,))
        delivered = [each.message.get("content") for each in client.follow() if each.message["type"] == "user_message"]
        assert not scripted._steps
        assert delivered == (delivered if case["delivered"] is None else case["delivered"])
        for stored in (client.store.stored, Store(tmp_path / "phone").stored if store._path else client.store.stored):
            found = [each.message["content"] for each in stored.of(CONVERSATION) if "content" in each.message]
            assert found == case.get("stored", found)
            assert sorted(found) == case.get("storedInAnyOrder", sorted(found))
            bodies = [each.message for each in stored.of(None)]
            waiting = [each["requestId"] for each in bodies if each["type"] == "permission_request"]
            assert waiting == case.get("waiting", waiting)
