"""An encrypted socket that one thread may read while another writes, as a client of a WebSocket does.

OpenSSL does not allow both at once on one connection, and Python 3.11 does not prevent it: now and then, bytes that
were written never arrive. Here the calls of OpenSSL take turns, and none of them waits for the network.
"""

import selectors
import ssl
import threading
import time
from collections.abc import Callable
from typing import Any, Self


class TlsSocket(ssl.SSLSocket):
    """An encrypted socket for two threads. A context makes it after `for_two_threads`."""

    _turn: threading.Lock
    _timeout_s: float | None
    _is_open = False
    """Whether the handshake is over. Until then one thread has the socket, which blocks as any other."""

    def __new__(cls, *arguments: Any, **options: Any) -> Self:
        made = super().__new__(cls, *arguments, **options)
        made._turn, made._timeout_s = threading.Lock(), None
        return made

    def settimeout(self, value: float | None) -> None:
        self._timeout_s = value
        super().settimeout(0.0 if self._is_open else value)

    def gettimeout(self) -> float | None:
        return self._timeout_s

    def do_handshake(self, block: bool = False) -> None:  # noqa: FBT001, FBT002 - as the base has it
        super().do_handshake(block)
        self._is_open = True
        self.settimeout(self._timeout_s)

    def read(self, len: int = 1024, buffer: Any = None) -> Any:  # noqa: A002 - as the base has it
        return self._take_turns(lambda: super(TlsSocket, self).read(len, buffer))

    def send(self, data: Any, flags: int = 0) -> int:
        return self._take_turns(lambda: super(TlsSocket, self).send(data, flags))

    def _take_turns(self, call: Callable[[], Any]) -> Any:
        """Returns what `call` returns as soon as it does not have to wait. Raises OSError if the socket was closed."""
        end = None if self._timeout_s is None else time.monotonic() + self._timeout_s
        while True:
            with self._turn:
                if self._sslobj is None:  # pyrefly: ignore - the attribute of the base has no declared type
                    raise BrokenPipeError("the socket is closed")
                try:
                    return call()
                except ssl.SSLWantReadError:
                    event = selectors.EVENT_READ
                except ssl.SSLWantWriteError:
                    event = selectors.EVENT_WRITE
            self._wait(event, end)

    def _wait(self, event: int, end: float | None) -> None:
        """Waits until the network is ready. Raises `TimeoutError`, and OSError if the socket was closed."""
        left_s = None if end is None else max(0.0, end - time.monotonic())
        with selectors.DefaultSelector() as selector:
            try:
                selector.register(self, event)
            except ValueError as error:
                raise BrokenPipeError("the socket is closed") from error
            if not selector.select(left_s):
                raise TimeoutError("the other side does not answer in time")


def for_two_threads(context: ssl.SSLContext) -> ssl.SSLContext:
    """Returns the context. From now on, one thread may read a socket that it makes while another writes."""
    context.sslsocket_class = TlsSocket
    return context
