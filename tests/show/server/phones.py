"""A phone that speaks `chorus.mobile.v1` with a server under test, and fails if something is sent twice."""

import contextlib
from collections.abc import Iterator
from typing import Any

from websockets import Origin, Subprotocol
from websockets.sync.client import ClientConnection, connect

from tests.show.server.serving import PATIENCE_S, Browser, Live

PROTOCOL = "chorus.mobile.v1"


class Phone:
    """What a phone stores: each message by its id, and its position in the feed."""

    def __init__(self, *conversations: str) -> None:
        self.conversations = conversations
        self.place: dict[str, Any] = {}
        self.known: dict[str, str] = {}
        self.heard: list[dict[str, Any]] = []
        self.hellos: list[dict[str, Any]] = []

    def take(self, frame: dict[str, Any]) -> None:
        """Stores a frame; fails if it repeats a message or does not begin where the last one ended."""
        if frame["seq"] is not None:
            assert frame["since"] == self.place["seq"], frame
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

    def texts(self, kind: str = "user_message") -> list[str]:
        return [each["message"]["content"] for each in self.heard if each["message"]["type"] == kind]

    @contextlib.contextmanager
    def on(self, browser: Browser, **more: Any) -> Iterator[Live]:
        """Opens a socket and subscribes, from the stored position if there is one."""
        with opened(browser) as socket:
            live = Live(socket)
            known = dict(list(self.known.items())[-300:])
            said = {"conversations": self.conversations, "known": known, **self.place, **more}
            live.say({"type": "subscribe", "ticket": browser.ticket(), **said})
            yield live

    def hear(self, live: Live, holds: Any) -> None:
        """Takes and confirms frames until `holds()`."""
        while not holds():
            frame = live.next()
            self.take(frame)
            if frame["seq"] is not None:
                live.say({"type": "ack", "seq": frame["seq"]})


def opened(
    browser: Browser, protocols: tuple[str, ...] = (PROTOCOL,)
) -> contextlib.AbstractContextManager[ClientConnection]:
    return connect(
        f"ws://127.0.0.1:{browser.port}/api/mobile",
        origin=Origin(browser.origin),
        subprotocols=[Subprotocol(each) for each in protocols] or None,
        additional_headers={"Cookie": browser.cookie or ""},
        compression=None,
        proxy=None,
        max_size=None,
        open_timeout=PATIENCE_S,
    )


def bodies(frame: dict[str, Any]) -> list[dict[str, Any]]:
    return [sent["message"] for sent in frame["messages"]]
