"""The encrypted listener of a server: its host, its certificate, and what phones have to trust."""

import asyncio
import contextlib
import socket
import ssl
from pathlib import Path

from chorus.errors import ChorusError
from chorus.show.server import log
from chorus.show.server.edge.binding import bind_network
from chorus.show.server.network.certificate_facts import der
from chorus.show.server.network.certificates import CertificateSource, source_for
from chorus.show.server.network.host import NetworkHost
from chorus.show.server.network.tls import tls_context

RENEW_S = 6 * 3_600.0


class Listening:
    """A socket that is bound, and the certificate that is in use. `renew` may be called from any thread."""

    def __init__(self, host: NetworkHost, listener: socket.socket, source: CertificateSource) -> None:
        """Raises ChorusError if there is no usable certificate."""
        self.host = host
        self.listener = listener
        self._source = source
        self._context = self._fresh()

    @property
    def host_header(self) -> str:
        """The one value of the Host header that is accepted."""
        return self.host.host_header(self.listener.getsockname()[1])

    @property
    def address(self) -> str:
        """The address that a person opens."""
        return f"https://{self.host_header}"

    def context(self) -> ssl.SSLContext:
        """Returns the settings for the next connection."""
        return self._context

    def renew(self) -> None:
        """Looks whether there is a newer certificate, and uses it from the next connection on."""
        try:
            self._context = self._fresh()
        except ChorusError as error:
            # The old one stays in use; what a phone then says is clear.
            log.logger.error("the certificate could not be renewed: %s", type(error).__name__)

    async def keep_fresh(self) -> None:
        """Renews the certificate in time, until cancelled."""
        while True:
            await asyncio.sleep(RENEW_S)
            await asyncio.to_thread(self.renew)

    def _fresh(self) -> ssl.SSLContext:
        files = self._source.files()
        self.root = der(files.root) if files.root else b""
        """The certificate that phones have to trust; empty if they trust it already."""
        return tls_context(files)


def listen_on_network(host: NetworkHost, port: int, state: Path, own: tuple[Path, Path] | None) -> Listening:
    """Returns the encrypted listener of a host. Raises ChorusError."""
    listener = bind_network(host.address, port)
    with contextlib.ExitStack() as stack:
        stack.callback(listener.close)
        listening = Listening(host, listener, source_for(host, state, own))
        stack.pop_all()
    return listening
