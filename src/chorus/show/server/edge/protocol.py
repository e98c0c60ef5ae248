"""Limits and checks for connections, below the application, that uvicorn does not have."""

from asyncio import Transport
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request, Response
from websockets.server import ServerProtocol

from chorus.show.server.edge.connections import UnknownConnections
from chorus.show.server.edge.headers import with_security_headers
from chorus.show.server.edge.limits import Limits

CONNECTION = "chorus.connection"
"""The key of a scope under which the edge finds the connection of a request."""
_ABORT_S = 3.0
_PHRASES = {400: "Bad Request", 431: "Request Header Fields Too Large", 503: "Service Unavailable"}


def http_protocol(limits: Limits) -> type[HttpToolsProtocol]:
    """Returns an HTTP protocol that limits the number of connections, the size of a head and the time it may take."""
    unknown = UnknownConnections(limits.unknown_connections)

    class Http(HttpToolsProtocol):
        _head_bytes = 0
        _is_in_head = True
        _timer: Any = None

        def connection_made(self, transport: Transport) -> None:  # pyrefly: ignore - as the base has it
            super().connection_made(transport)
            if len(self.connections) > limits.connections:
                self._refuse(503, "Too many connections.")
                return
            unknown.add(self, transport.abort)
            self._expect_head()

        def connection_lost(self, exc: Exception | None) -> None:
            unknown.remove(self)
            self._expect_nothing()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            if self.transport.is_closing():
                return
            super().data_received(data)
            if self._is_in_head:
                self._head_bytes += len(data)
                if self._head_bytes > 2 * limits.headers_bytes:
                    self._refuse(431, "The head of the request is too large.")

        def on_message_begin(self) -> None:
            super().on_message_begin()
            self.scope[CONNECTION] = self  # pyrefly: ignore - a scope may have more keys than its type declares
            self._is_in_head, self._head_bytes = True, 0
            self._expect_head()

        def on_headers_complete(self) -> None:
            self._is_in_head = False
            self._expect_nothing()
            if not self.url.startswith(b"/"):
                # An absolute URL would name the host a second time, and the guard checks only the Host header.
                raise ValueError("the address is not a path")
            super().on_headers_complete()

        def show_login(self) -> None:
            """Notes that a request on this connection had a login."""
            unknown.remove(self)

        def handle_websocket_upgrade(self) -> None:
            # From now on the connection is a socket, which the edge refuses at once unless it has a login.
            unknown.remove(self)
            super().handle_websocket_upgrade()

        def send_400_response(self, msg: str) -> None:
            self._refuse(400, msg)

        def _expect_head(self) -> None:
            if self._timer is None:
                self._timer = self.loop.call_later(limits.head_s, self.transport.close)

        def _expect_nothing(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

        def _refuse(self, status: int, message: str) -> None:
            if self.transport.is_closing():
                return
            headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
            headers.append((b"content-length", str(len(message)).encode()))
            lines = [f"HTTP/1.1 {status} {_PHRASES[status]}".encode()]
            lines += [name + b": " + value for name, value in with_security_headers(headers)]
            self.transport.write(b"\r\n".join([*lines, b"", message.encode()]))
            self.transport.close()

    return Http


class _Handshake(ServerProtocol):
    """A handshake whose refusals have the headers that every response has."""

    def accept(self, request: Request) -> Response:
        return _with_headers(super().accept(request))

    def reject(self, status: int, text: str) -> Response:
        return _with_headers(super().reject(status, text))


def _with_headers(response: Response) -> Response:
    if response.status_code != 101:
        given = [(name.encode(), value.encode("latin-1")) for name, value in response.headers.raw_items()]
        response.headers.clear()
        for name, value in with_security_headers(given):
            response.headers[name.decode()] = value.decode("latin-1")
    return response


class Sockets(WebSocketsSansIOProtocol):
    """WebSockets that can be closed even while the other side does not read."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.conn = _Handshake(max_size=self.config.ws_max_size, logger=self.logger)

    async def send(self, message: Any) -> None:
        if message["type"] == "websocket.close":
            self.writable.set()
            self.loop.call_later(_ABORT_S, self._abort)
        await super().send(message)

    def _abort(self) -> None:
        if not self.disconnected:
            self.transport.abort()
