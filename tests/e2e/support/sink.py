"""The proxy of every page in the tests, which receives and refuses all requests to other origins.

The events of a page report only the requests that the page knows of. A proxy also sees prefetches, sockets, and beacons
of a page that was closed.
"""

import contextlib
import socketserver
import threading
from collections.abc import Iterator

BROWSERS_OWN = ("content-autofill.googleapis.com",)
"""Whom a Chromium with all its services asks about any page that has a field to fill in."""


class Sink:
    """The request lines that arrived, in order."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.arrived: list[str] = []

    def take(self) -> list[str]:
        """Returns the request lines that arrived since the last call."""
        taken, self.arrived = self.arrived, []
        return taken


class _Answer(socketserver.StreamRequestHandler):
    timeout = 10

    def handle(self) -> None:
        with contextlib.suppress(OSError):
            line = self.rfile.readline(8192).decode("latin-1").strip()
            if line and isinstance(self.server, _Listener) and not any(host in line for host in BROWSERS_OWN):
                self.server.sink.arrived.append(line)
            self.wfile.write(b"HTTP/1.1 502 Nothing leaves\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


class _Listener(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.sink = Sink(self.server_address[1])


@contextlib.contextmanager
def sink() -> Iterator[Sink]:
    """Runs a sink until the end of the block."""
    with _Listener() as listener:
        thread = threading.Thread(target=listener.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield listener.sink
        finally:
            listener.shutdown()
            thread.join()
