"""A phone as the contract needs it: it stores frames as every client must."""

import json
from collections.abc import Callable
from typing import Any

from chorus.testing.mobile_contract.world import OpenSocket, World

_MAX_KNOWN = 300
_MAX_FRAMES = 1_000


class Phone:
    """What a phone stores: each message by its id, and its position in the change feed."""

    def __init__(self, *conversations: str) -> None:
        self.conversations = conversations
        self.place: dict[str, Any] = {}
        """Epoch and seq of the last stored frame; empty at first."""
        self.known: dict[str, str] = {}
        """Conversation, space, id → revision."""
        self.heard: list[dict[str, Any]] = []
        """Every complete message that has an id, with its address, in the order of arrival."""
        self.hellos: list[dict[str, Any]] = []

    def subscribe(self, world: World, **more: Any) -> OpenSocket:
        """Opens a socket and subscribes, from the stored position if there is one."""
        line = world.open()
        known = dict(list(self.known.items())[-_MAX_KNOWN:])
        said = {"conversations": self.conversations, "known": known, **self.place, **more}
        line.say(json.dumps({"type": "subscribe", "ticket": world.ticket(), **said}))
        return line

    def take(self, frame: dict[str, Any]) -> None:
        """Stores a frame; fails if it repeats a message or does not begin where the last one ended."""
        if frame["seq"] is not None:
            assert frame["since"] == self.place["seq"], f"a step begins at {frame['since']}, not at {self.place}"
            self.place["seq"] = frame["seq"]
        for sent in frame["messages"]:
            message = sent["message"]
            if message["type"] == "hello":
                self.hellos.append(message)
                self.place = {"epoch": message["epoch"], "seq": message["seq"]}
            if sent["id"] is None or sent["isPartial"]:
                continue
            key = f"{sent['conversation'] or ''} {sent['id']}"
            assert self.known.get(key) != sent["revision"], f"{message} was sent twice"
            self.known[key] = sent["revision"]
            self.heard.append(sent)

    def listen(self, line: OpenSocket, holds: Callable[[], Any]) -> list[dict[str, Any]]:
        """Takes and confirms frames until `holds()`; returns their messages."""
        found: list[dict[str, Any]] = []
        for _ in range(_MAX_FRAMES):
            if holds():
                return found
            frame = json.loads(line.hear())
            self.take(frame)
            found += [sent["message"] for sent in frame["messages"]]
            if frame["seq"] is not None:
                line.say(json.dumps({"type": "ack", "seq": frame["seq"]}))
        raise AssertionError(f"it never came true; heard {found[-5:]}")

    def answer(self, line: OpenSocket, ref: str | None, kinds: tuple[str, ...] = ("done", "error")) -> dict[str, Any]:
        """Returns the next answer of one of these types with this `ref`."""
        answers: list[dict[str, Any]] = []
        for _ in range(_MAX_FRAMES):
            frame = json.loads(line.hear())
            self.take(frame)
            bodies = [sent["message"] for sent in frame["messages"]]
            answers = [each for each in bodies if each["type"] in kinds and each["ref"] == ref]
            if answers:
                return answers[0]
        raise AssertionError(f"there is no answer to {ref}")

    def prompts(self) -> list[str]:
        """Returns what people said, in the order of arrival."""
        return [each["message"]["content"] for each in self.heard if each["message"]["type"] == "user_message"]
