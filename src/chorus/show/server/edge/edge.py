"""The first thing that sees a request, of whatever kind: who is not let in here reaches nothing behind it.

What lies behind needs a session by its place, not by its own care: a route that is added is closed, unless `OPEN` names
it. What anyone may have (the empty application and its assets) is another application, which knows no transcript.
"""

import asyncio
import contextlib
from collections.abc import Mapping

from chorus.show.server import log
from chorus.show.server.edge.asgi import App, Message, Receive, Scope, Send
from chorus.show.server.edge.cookies import secrets_in
from chorus.show.server.edge.guard import Head, check, hosts_of
from chorus.show.server.edge.headers import ruled
from chorus.show.server.edge.limits import Limits
from chorus.show.server.edge.logins import Logins
from chorus.show.server.edge.protocol import CONNECTION
from chorus.show.server.encoding import encode
from chorus.show.server.errors import Refused, problem_of

OPEN = frozenset({("POST", "/api/login")})
"""What is answered without a session. A test has the same list, so that it cannot grow by accident."""
MESSAGES = "/api/runs"
"""Where what a person says to an agent goes, pictures included."""
_LOGIN = "chorus.login"


def login_of(scope: Mapping[str, object]) -> str:
    """The session that a request was let in with."""
    return str(scope[_LOGIN])


class Edge:
    """Checks, then hands on: to `api` what is below /api, to `pages` the rest."""

    def __init__(self, api: App, pages: App, logins: Logins, *, port: int, limits: Limits) -> None:
        self._api = api
        self._pages = pages
        self._logins = logins
        self._port = port
        self._hosts = hosts_of(port)
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return
        answer = _Answer(scope, send)
        try:
            app = self._admit(scope)
            body = _Body(scope, receive, self._limits)
            answer.body = body
            await app(scope, body.receive, answer.send)
        except Refused as refused:
            await answer.refuse(refused)
        except Exception as error:  # noqa: BLE001 - the last door: what comes here must not reach the wire
            log.failure(scope.get("method", "WS"), scope["path"], error)
            await answer.refuse(error)

    def _admit(self, scope: Scope) -> App:
        head = Head(scope["type"], scope.get("method", ""), scope["path"], scope["headers"])
        check(head, self._hosts, headers_bytes=self._limits.headers_bytes)
        scope.pop(_LOGIN, None)
        if not head.is_api and not head.is_socket:
            if head.method == "POST":
                raise Refused(405, "not_allowed", "This address does not take this method.")
            self._recognize(scope, head)
            return self._pages
        if (head.method, head.path) not in OPEN:
            scope[_LOGIN] = self._logins.who(secrets_in(head.headers, self._port))
            _show_login(scope)
        return self._api

    def _recognize(self, scope: Scope, head: Head) -> None:
        """Pages are for anyone, but the connection of somebody who is logged in is not closed to make room."""
        with contextlib.suppress(Refused):
            self._logins.who(secrets_in(head.headers, self._port))
            _show_login(scope)


def _show_login(scope: Scope) -> None:
    connection = scope.get(CONNECTION)
    if connection is not None:
        connection.show_login()


class _Body:
    """The body of a request, within limits of size and time."""

    def __init__(self, scope: Scope, receive: Receive, limits: Limits) -> None:
        """Raises `Refused` for a body that is announced as too large."""
        self._receive = receive
        self._is_socket = scope["type"] != "http"
        self._limit_bytes = limits.message_bytes if scope["path"].startswith(MESSAGES) else limits.body_bytes
        self._limit_s = limits.body_s if _LOGIN in scope else limits.unknown_body_s
        self._end: float | None = None
        self._taken_bytes = 0
        lengths = [value for name, value in scope["headers"] if name == b"content-length"]
        if not self._is_socket and any(not value.isdigit() or int(value[:20]) > self._limit_bytes for value in lengths):
            raise _too_large()
        self.is_complete = self._is_socket or not (
            any(int(value[:20]) for value in lengths)
            or any(name == b"transfer-encoding" for name, _ in scope["headers"])
        )
        """Whether nothing more of it is to come."""

    async def receive(self) -> Message:
        if self._is_socket:
            return await self._receive()
        message = await self._receive() if self.is_complete else await self._receive_in_time()
        self._taken_bytes += len(message.get("body", b""))
        if self._taken_bytes > self._limit_bytes:
            raise _too_large()
        return message

    async def _receive_in_time(self) -> Message:
        self._end = self._end or asyncio.get_running_loop().time() + self._limit_s
        try:
            async with asyncio.timeout_at(self._end):
                message = await self._receive()
        except TimeoutError:
            raise Refused(408, "too_slow", "The body of the request took too long.") from None
        if message["type"] == "http.disconnect":
            raise Refused(400, "bad_request", "The body of the request ended too early.")
        self.is_complete = not message.get("more_body", False)
        return message


class _Answer:
    """What is sent back, with the headers that everything has."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self._has_begun = False
        self.body: _Body | None = None

    async def send(self, message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            headers = ruled(list(message.get("headers", ())))
            if self.body and not self.body.is_complete and (b"connection", b"close") not in headers:
                # What is left of the body is not read.
                headers.append((b"connection", b"close"))
            message = {**message, "headers": headers}
        self._has_begun = True
        await self._send(message)

    async def refuse(self, error: Exception) -> None:
        """Say no, in the form that fits; where an answer has begun, it just ends."""
        if self._has_begun:
            return
        status, problem = problem_of(error)
        is_socket = self._scope["type"] == "websocket"
        if is_socket and "websocket.http.response" not in self._scope.get("extensions", {}):
            await self._send({"type": "websocket.close", "code": 1008})
            return
        kind = "websocket.http.response" if is_socket else "http.response"
        body = encode(problem)
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            # What is left of its body is not read.
            (b"connection", b"close"),
        ]
        await self.send({"type": f"{kind}.start", "status": status, "headers": headers})
        await self.send({"type": f"{kind}.body", "body": body})


def _too_large() -> Refused:
    return Refused(413, "too_large", "The request is too large.")
