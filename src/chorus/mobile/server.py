"""The way to a server: logging in with a link, opening sockets. Only this module and `tls_socket.py` use a network."""

import contextlib
import http.client
import json
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol
from urllib.parse import parse_qs, urlsplit

import msgspec
from websockets import Origin, Subprotocol
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection, connect

from chorus.errors import ChorusError, Unreachable
from chorus.mobile.tls_socket import for_two_threads
from chorus.show.wire.mobile import PROTOCOL

_PATIENCE_S = 10.0
_MAX_BYTES = 64 << 10
_MAX_FRAME_BYTES = 64 << 20
_LATER = (http.client.REQUEST_TIMEOUT, http.client.TOO_MANY_REQUESTS)
_LOGGED_OUT = 4401
_MISUSED = 1008


class OpenSocket(Protocol):
    """An open socket."""

    def say(self, text: str) -> None:
        """Sends a message. Raises `Unreachable`."""
        ...

    def hear(self) -> str:
        """Waits for the next frame. Raises `Unreachable` when the connection has ended."""
        ...

    def close(self) -> None:
        """Closes the socket; may be called from any thread."""
        ...


class MobileConnector(Protocol):
    """What a client needs of a server."""

    def open(self) -> AbstractContextManager[OpenSocket]:
        """Opens a socket for a block. Raises `Unreachable` if trying again may help, else `ChorusError`."""
        ...

    def ticket(self) -> str:
        """Returns a ticket for the socket that is opened next; raises as `open` does."""
        ...


class MobileServer:
    """A server that one logs in to with a link, as `chorus open` prints it."""

    def __init__(
        self,
        link: Callable[[], str],
        *,
        through: tuple[str, int] | None = None,
        context: ssl.SSLContext | None = None,
    ) -> None:
        """`link` is called for each login; a link works once. `through` is the near end of a tunnel to the server.

        `context` says which certificates are trusted; its sockets are made for two threads from now on."""
        self._link = link
        self._through = through
        self._context = for_two_threads(context or ssl.create_default_context())
        self._address = ""
        self._cookie: str | None = None

    def ticket(self) -> str:
        if self._cookie is None:
            self._log_in()
        answer = self._post("/api/ticket", None)
        if answer.status == http.client.UNAUTHORIZED:
            self._log_in()
            answer = self._post("/api/ticket", None)
        if answer.status >= http.client.BAD_REQUEST:
            raise Unreachable(f"{self._address}: the server gives no ticket (status {answer.status})")
        try:
            return msgspec.json.decode(answer.body, type=_Ticket).ticket
        except msgspec.MsgspecError as error:
            # The connection ended inside the answer.
            raise Unreachable(f"{self._address}: the answer is not complete") from error

    @contextlib.contextmanager
    def open(self) -> Iterator[OpenSocket]:
        if self._cookie is None:
            self._log_in()
        parts = urlsplit(self._address)
        scheme = "wss" if parts.scheme == "https" else "ws"
        with contextlib.ExitStack() as stack:
            try:
                near = socket.create_connection(self._through, _PATIENCE_S) if self._through else None
                opening = connect(
                    f"{scheme}://{parts.netloc}/api/mobile",
                    sock=near,
                    origin=Origin(self._address),
                    subprotocols=[Subprotocol(PROTOCOL)],
                    additional_headers={"Cookie": self._cookie or ""},
                    ssl=self._context if scheme == "wss" else None,
                    compression=None,
                    proxy=None,
                    max_size=_MAX_FRAME_BYTES,
                    open_timeout=_PATIENCE_S,
                    close_timeout=1.0,
                )
                opened = stack.enter_context(opening)
            except (OSError, WebSocketException, EOFError) as error:
                raise Unreachable(f"{self._address}: {error}") from error
            yield _Socket(opened)

    def _log_in(self) -> None:
        parts = urlsplit(self._link())
        token = parse_qs(parts.fragment).get("t", [""])[0]
        self._address = f"{parts.scheme}://{parts.netloc}"
        answer = self._post("/api/login", {"token": token})
        if answer.status in _LATER or answer.status >= http.client.INTERNAL_SERVER_ERROR:
            raise Unreachable(f"{self._address}: the server is busy (status {answer.status})")
        if answer.cookie is None:
            raise ChorusError(f"{self._address}: the link is not valid; `chorus open` prints a new one")
        self._cookie = answer.cookie

    def _post(self, path: str, value: object) -> "_Answer":
        parts = urlsplit(self._address)
        host, port = self._through or (parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80))
        made = (
            http.client.HTTPSConnection(host, port, timeout=_PATIENCE_S, context=self._context)
            if parts.scheme == "https"
            else http.client.HTTPConnection(host, port, timeout=_PATIENCE_S)
        )
        headers = {
            "Host": parts.netloc,
            "Origin": self._address,
            "X-Chorus": "1",
            "Sec-Fetch-Site": "same-origin",
            **({"Cookie": self._cookie} if self._cookie else {}),
            **({} if value is None else {"Content-Type": "application/json"}),
        }
        body = None if value is None else json.dumps(value)
        try:
            with contextlib.closing(made):
                made.request("POST", path, body, headers)
                response = made.getresponse()
                return _Answer(response.status, response.read(_MAX_BYTES), response.getheader("Set-Cookie"))
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(f"{self._address}: {error}") from error


class _Ticket(msgspec.Struct):
    ticket: str


class _Answer:
    def __init__(self, status: int, body: bytes, cookie: str | None) -> None:
        self.status = status
        self.body = body
        self.cookie = cookie.partition(";")[0] if cookie and status < http.client.BAD_REQUEST else None


class _Socket:
    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    def say(self, text: str) -> None:
        try:
            self._socket.send(text)
        except (ConnectionClosed, OSError) as error:
            raise _ended(error) from error

    def hear(self) -> str:
        try:
            text = self._socket.recv()
        except (ConnectionClosed, OSError) as error:
            raise _ended(error) from error
        if not isinstance(text, str):
            raise Unreachable("the server sent a frame that is no text")
        return text

    def close(self) -> None:
        self._socket.close()


def _ended(error: Exception) -> ChorusError:
    """Returns the error for a socket that has ended: after misuse, trying again does not help."""
    code = error.rcvd.code if isinstance(error, ConnectionClosed) and error.rcvd else None
    if code == _MISUSED:
        return ChorusError("the server refused what this client said; it may speak another version of the protocol")
    return Unreachable("the login has ended" if code == _LOGGED_OUT else "the connection has ended")
