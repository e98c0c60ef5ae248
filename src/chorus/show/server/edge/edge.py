"""The first code that handles any request or socket. A request that is refused here reaches no route.

Every route below /api needs a login because it is behind the edge, and not because it checks one itself: a new route is
closed unless `OPEN` lists it. The static files that anyone may load (the empty application and its assets) come from a
separate ASGI application without access to transcripts.
"""

import asyncio
import contextlib
from collections.abc import Callable, Mapping

from chorus.show.server import log
from chorus.show.server.edge.asgi import App, Message, Receive, Scope, Send
from chorus.show.server.edge.cookies import secrets_in
from chorus.show.server.edge.guard import RequestHead, check, hosts_of
from chorus.show.server.edge.headers import with_security_headers
from chorus.show.server.edge.limits import Limits
from chorus.show.server.edge.logins import Logins
from chorus.show.server.edge.protocol import CONNECTION
from chorus.show.server.edge.scopes import EVERY_SCOPE, GRANTED, check_scope
from chorus.show.server.encoding import encode
from chorus.show.server.errors import Refused, problem_of
from chorus.steer.approvals.devices.signed_devices import AccessScope

LOGIN = ("POST", "/api/login")
OPEN = frozenset({LOGIN, ("POST", "/api/pair"), ("POST", "/api/pair/finish")})
"""The routes that need no login. A test repeats this list, so that it cannot grow by accident."""
MESSAGES = "/api/runs"
"""The prefix of the routes that take messages to agents, which may contain pictures and so may be larger."""
DeviceScopes = Callable[[str], frozenset[AccessScope] | None]
"""Returns what a paired device may do; None if it is unknown or was revoked."""
_LOGIN = "chorus.login"
_DEVICE = "chorus.device"


def login_of(scope: Mapping[str, object]) -> str:
    """Returns the login that a request was admitted with."""
    return str(scope[_LOGIN])


def device_of(scope: Mapping[str, object]) -> str:
    """Returns the id of the paired device that a request comes from; empty for a browser of this computer."""
    return str(scope[_DEVICE])


def is_encrypted(scope: Mapping[str, object]) -> bool:
    """Returns whether a request came over the listener for the network."""
    return scope["scheme"] in ("https", "wss")


class Edge:
    """Checks each request, then passes it on: to `api` if its path is below /api, else to `pages`."""

    def __init__(
        self,
        api: App,
        pages: App,
        logins: Logins,
        *,
        port: int,
        limits: Limits,
        device_scopes: DeviceScopes = lambda _device: None,
        network_hosts: frozenset[bytes] = frozenset(),
    ) -> None:
        """`network_hosts` are the accepted values of Host on the encrypted listener; without any it answers nobody."""
        self._api = api
        self._pages = pages
        self._logins = logins
        self._port = port
        self._hosts = hosts_of(port)
        self._network_hosts = network_hosts
        self._device_scopes = device_scopes
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
        except Exception as error:  # noqa: BLE001 - the last handler: details of an error must not reach the client
            log.failure(scope.get("method", "WS"), scope["path"], error)
            await answer.refuse(error)

    def _admit(self, scope: Scope) -> App:
        head = RequestHead(scope["type"], scope.get("method", ""), scope["path"], scope["headers"])
        is_tls = is_encrypted(scope)
        hosts, scheme = (self._network_hosts, b"https") if is_tls else (self._hosts, b"http")
        check(head, hosts, headers_bytes=self._limits.headers_bytes, scheme=scheme)
        for key in (_LOGIN, _DEVICE, GRANTED):
            scope.pop(key, None)
        if not head.is_api and not head.is_socket:
            if head.method == "POST":
                raise Refused(405, "not_allowed", "This address does not accept this method.")
            self._recognize(scope, head)
            return self._pages
        asked = (head.method, head.path)
        if asked not in OPEN:
            self._log_in(scope, head)
            _show_login(scope)
        elif asked == LOGIN and is_tls:
            raise Refused(
                403, "not_allowed", "A login link works on the computer itself only; pair this device instead."
            )
        return self._api

    def _log_in(self, scope: Scope, head: RequestHead) -> None:
        """Notes the login of a request, its device and its scopes; raises `Refused` if it may not be made."""
        is_tls = is_encrypted(scope)
        login = self._logins.who(secrets_in(head.headers, self._port, is_tls=is_tls))
        device = self._logins.device_of(login)
        granted = self._device_scopes(device) if device else None if is_tls else EVERY_SCOPE
        if granted is None:
            raise Refused(401, "not_logged_in", "This device is not paired; `chorus phone pair` pairs it.")
        if device and not head.is_socket:
            check_scope(head.method, head.path, granted)
        scope[_LOGIN], scope[_DEVICE], scope[GRANTED] = login, device, granted

    def _recognize(self, scope: Scope, head: RequestHead) -> None:
        """Notes a login on a request for a page: pages need none, but the connection then counts as known."""
        with contextlib.suppress(Refused):
            self._logins.who(secrets_in(head.headers, self._port, is_tls=is_encrypted(scope)))
            _show_login(scope)


def _show_login(scope: Scope) -> None:
    connection = scope.get(CONNECTION)
    if connection is not None:
        connection.show_login()


class _Body:
    """The body of a request; enforces limits of size and time."""

    def __init__(self, scope: Scope, receive: Receive, limits: Limits) -> None:
        """Raises `Refused` if Content-Length is above the limit or no number."""
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
        """Whether the whole body has been received."""

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
    """The answer to a request; adds the headers that every response has."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self._has_begun = False
        self.body: _Body | None = None

    async def send(self, message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            headers = with_security_headers(list(message.get("headers", ())))
            if self.body and not self.body.is_complete and (b"connection", b"close") not in headers:
                # The rest of the body is not read.
                headers.append((b"connection", b"close"))
            message = {**message, "headers": headers}
        self._has_begun = True
        await self._send(message)

    async def refuse(self, error: Exception) -> None:
        """Sends a refusal as HTTP response or socket close; does nothing if an answer has already begun."""
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
            # The rest of the body is not read.
            (b"connection", b"close"),
        ]
        await self.send({"type": f"{kind}.start", "status": status, "headers": headers})
        await self.send({"type": f"{kind}.body", "body": body})


def _too_large() -> Refused:
    return Refused(413, "too_large", "The request is too large.")
