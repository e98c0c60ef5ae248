"""Phones that speak `chorus.mobile.v1` with a server under test."""

import contextlib
from collections.abc import Iterator
from typing import Any

from websockets import Subprotocol
from websockets.sync.client import ClientConnection

from chorus.steer.approvals.ledger import Ledger
from chorus.testing import mobile_contract
from chorus.testing.builders import Session
from tests.show.server.permission_requests import asked
from tests.show.server.serving import PATIENCE_S, Browser, Live, Serving, until

PROTOCOL = "chorus.mobile.v1"


class Line:
    """An open socket of a phone."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    def say(self, text: str) -> None:
        self._socket.send(text)

    def hear(self) -> str:
        return str(self._socket.recv(timeout=PATIENCE_S))

    def cut(self) -> None:
        self._socket.socket.close()


class ServedConversation:
    """A server with one conversation, as the contract of `chorus.mobile.v1` needs it."""

    def __init__(self, server: Serving, session: Session, sockets: contextlib.ExitStack) -> None:
        """`sockets` closes the sockets at the end of a test."""
        self._sockets = sockets
        self._server = server
        self._session = session
        self._browser = server.browser()
        self._ledger = Ledger(server.vault / "state")
        server.write(session)
        self.conversation = name_of(self._browser, session)

    def open(self, version: str = PROTOCOL) -> Line:
        return Line(self._sockets.enter_context(opened(self._browser, (version,))))

    def ticket(self) -> str:
        return self._browser.ticket()

    def ask(self, command: str) -> str:
        return asked(self._ledger, command).id

    def withdraw(self, request: str) -> None:
        self._ledger.withdraw(request, "answered elsewhere")

    def grow(self, prompt: str) -> None:
        self._session.user(prompt)
        self._server.write(self._session)


class Phone(mobile_contract.Phone):
    """A phone of the contract whose socket is closed at the end of a block."""

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
    return browser.socket("/api/mobile", subprotocols=[Subprotocol(each) for each in protocols] or None)


def name_of(browser: Browser, session: Session) -> str:
    """Waits until the session is listed, and returns the name of its conversation."""

    def found() -> str | None:
        answer = browser.get("/api/conversations?limit=100")
        rows = answer.json.get("conversations", []) if answer.status == 200 else []
        return next((row["name"] for row in rows if row["id"] == session.id), None)

    return until(found)


def bodies(frame: dict[str, Any]) -> list[dict[str, Any]]:
    return [sent["message"] for sent in frame["messages"]]
