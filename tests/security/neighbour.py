"""A neighbour in the network of a phone: everything between the phone and the server goes through it."""

import contextlib
import socket
import threading
from collections.abc import Iterator

ADDRESS = "127.0.0.3"
_PIECE_BYTES = 1 << 16


class Neighbour:
    """Passes bytes on in both directions, and keeps a copy of each connection."""

    def __init__(self, target: tuple[str, int]) -> None:
        self._target = target
        self._listener = socket.create_server((ADDRESS, 0))
        self.address: tuple[str, int] = self._listener.getsockname()[:2]
        self.sent: list[bytearray] = []
        """What was sent to the server, by connection."""
        self.answered: list[bytearray] = []
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []

    @property
    def heard(self) -> bytes:
        """Everything that went over the wire."""
        return b"".join((*self.sent, *self.answered))

    def serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(self._target, timeout=30)
                self._open += (near, far)
                for one, other, copies in ((near, far, self.sent), (far, near, self.answered)):
                    copies.append(bytearray())
                    thread = threading.Thread(target=_pass_on, args=(one, other, copies[-1]), daemon=True)
                    self._threads.append(thread)
                    thread.start()

    def end(self) -> None:
        """Takes no more connections."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def forget(self) -> None:
        """Ends all connections."""
        for each in self._open:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(30)
        for each in self._open:
            each.close()


def _pass_on(one: socket.socket, other: socket.socket, copy: bytearray) -> None:
    with contextlib.suppress(OSError):
        while piece := one.recv(_PIECE_BYTES):
            copy += piece
            other.sendall(piece)
    for each in (one, other):
        with contextlib.suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def between(target: tuple[str, int]) -> Iterator[Neighbour]:
    """Puts a neighbour between phones that connect to `neighbour.address` and `target`."""
    found = Neighbour(target)
    thread = threading.Thread(target=found.serve, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        found.end()
        thread.join(30)
        found.forget()
