"""How connections behave below the application: what uvicorn leaves open is closed here."""

from asyncio import Transport
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from chorus.server.headers import ruled
from chorus.server.limits import Limits

_ABORT_S = 3.0
_PHRASES = {400: "Bad Request", 431: "Request Header Fields Too Large", 503: "Service Unavailable"}


def http_protocol(limits: Limits) -> type[HttpToolsProtocol]:
    """HTTP with limits on how many connect, how long a head may be and how long it may take."""

    class Http(HttpToolsProtocol):
        _head_bytes = 0
        _is_in_head = True
        _timer: Any = None

        def connection_made(self, transport: Transport) -> None:  # pyrefly: ignore - as the base has it
            super().connection_made(transport)
            if len(self.connections) > limits.connections:
                self._refuse(503, "Too many connections.")
                return
            self._expect_head()

        def connection_lost(self, exc: Exception | None) -> None:
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
            self._is_in_head, self._head_bytes = True, 0
            self._expect_head()

        def on_headers_complete(self) -> None:
            self._is_in_head = False
            self._expect_nothing()
            if not self.url.startswith(b"/"):
                # With a whole address the host would be said twice, and the check sees only one.
                raise ValueError("the address is not a path")
            super().on_headers_complete()

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
            lines += [name + b": " + value for name, value in ruled(headers)]
            self.transport.write(b"\r\n".join([*lines, b"", message.encode()]))
            self.transport.close()

    return Http


class Sockets(WebSocketsSansIOProtocol):
    """WebSockets that can also be closed while their other side does not read."""

    async def send(self, message: Any) -> None:
        if message["type"] == "websocket.close":
            self.writable.set()
            self.loop.call_later(_ABORT_S, self._abort)
        await super().send(message)

    def _abort(self) -> None:
        if not self.disconnected:
            self.transport.abort()
