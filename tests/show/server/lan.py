"""A phone in the network of a server under test: it reaches the encrypted listener, and trusts what a phone trusts."""

import contextlib
import http.client
import ssl
from socket import create_connection, socket
from typing import Any

import pytest
from websockets.sync.client import ClientConnection

from chorus.mobile.tls_socket import for_two_threads
from chorus.show.server.network.host import NetworkHost
from tests.show.server.serving import PATIENCE_S, Browser, Serving

LAN = NetworkHost("127.0.0.2")
"""Another address of loopback takes the place of an address in a network: no test leaves this machine."""


def has_lan() -> bool:
    """Returns whether a program can listen on that address; macOS has only the first address of loopback."""
    with socket() as probe, contextlib.suppress(OSError):
        probe.bind((LAN.address, 0))
        return True
    return False


needs_lan = pytest.mark.skipif(not has_lan(), reason="this system has one address of loopback, and no test leaves it")


def trusting(root: bytes) -> ssl.SSLContext:
    """Returns the settings of a client that trusts one root (DER), and nothing else."""
    return for_two_threads(ssl.create_default_context(cadata=root))


class LanPhone(Browser):
    """A browser that reaches the server over its network, through another address if one is given."""

    def __init__(self, server: Serving, through: tuple[str, int] | None = None) -> None:
        network = server.network
        address, port = network.listener.getsockname()[:2]
        super().__init__(port, network.host.text)
        self.origin = network.address
        self.tls = trusting(network.root)
        """What this phone trusts; a test may put another one in its place."""
        self._server = address
        self._through = through or (address, port)

    def connection(self) -> http.client.HTTPConnection:
        found = http.client.HTTPSConnection(*self._through, timeout=PATIENCE_S)
        found.sock = self.connected()
        return found

    def connected(self) -> ssl.SSLSocket:
        return self.tls.wrap_socket(self._plain(), server_hostname=self._server)

    def socket(self, path: str = "/api/live", **options: Any) -> contextlib.AbstractContextManager[ClientConnection]:
        return super().socket(path, sock=self._plain(), ssl=self.tls, server_hostname=self._server, **options)

    def _plain(self):
        return create_connection(self._through, timeout=PATIENCE_S)
