"""Sends requests to an edge without a network, thousands in a second."""

import asyncio
import atexit
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from chorus.show.server.edge.asgi import App, Message, Receive, Scope, Send
from chorus.show.server.edge.cookies import name
from chorus.show.server.edge.edge import Edge
from chorus.show.server.edge.limits import Limits
from chorus.show.server.edge.logins import Logins
from chorus.show.server.edge.static import pages

PORT = 7717
HOST = b"127.0.0.1:7717"
ORIGIN = b"http://127.0.0.1:7717"
Headers = list[tuple[bytes, bytes]]
_LOOP = asyncio.new_event_loop()
atexit.register(_LOOP.close)


class Counting:
    """An application behind the edge that records every request that reaches it."""

    def __init__(self) -> None:
        self.reached: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.reached.append(scope["path"])
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            return
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"access-control-allow-origin", b"*")]})
        await send({"type": "http.response.body", "body": b"behind"})


class Outside:
    """An edge in front of an application."""

    def __init__(self, api: App, folder: Path, limits: Limits | None = None) -> None:
        self.logins = Logins(folder / "logins.json")
        self.edge = Edge(api, pages(folder / "no bundle"), self.logins, port=PORT, limits=limits or Limits())
        self.sent: list[Message] = []

    def log_in(self) -> tuple[bytes, bytes]:
        """Returns the cookie header of a browser that is logged in."""
        secret = self.logins.redeem(self.logins.new_link())
        return b"cookie", f"{name(PORT)}={secret}".encode()

    def ask(self, kind: str, method: str, path: str, headers: Headers, body: bytes = b"") -> int:
        """Returns the status of the answer, or 101 for an accepted socket."""
        scope: dict[str, Any] = {"type": kind, "path": path, "raw_path": path.encode("utf-8", "replace")}
        scope |= {"query_string": b"", "headers": headers, "http_version": "1.1", "scheme": "http", "root_path": ""}
        scope |= {"client": ("127.0.0.1", 1), "server": ("127.0.0.1", PORT), "state": {}}
        scope |= {"method": method} if kind == "http" else {"extensions": {"websocket.http.response": {}}}
        self.sent = []
        told: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
        if kind == "websocket":
            told = [{"type": "websocket.connect"}]

        async def receive() -> Message:
            return told.pop(0) if told else {"type": f"{kind}.disconnect"}

        async def send(message: Message) -> None:
            self.sent.append(message)

        _run(self.edge(scope, receive, send))
        return self.sent[0].get("status", 101)

    @property
    def headers(self) -> dict[bytes, bytes]:
        """Returns the headers of the last answer."""
        return dict(self.sent[0].get("headers", ()))


def _run(answer: Coroutine[Any, Any, None]) -> None:
    """Runs an answer to its end in one shared event loop, because a new loop for each request would be slow."""
    _LOOP.run_until_complete(answer)


def own(kind: str, method: str, *more: tuple[bytes, bytes], host: bytes = HOST) -> Headers:
    """Returns the headers that a page of the server itself sends."""
    headers = [(b"host", host), (b"sec-fetch-site", b"same-origin"), *more]
    if kind == "websocket" or method not in ("GET", "HEAD"):
        headers += [(b"origin", b"http://" + host), (b"x-chorus", b"1")]
    return headers
