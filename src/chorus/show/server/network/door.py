"""Accepts encrypted connections. What has not finished its handshake is limited in number, time and rate, because it
does not reach the limits of `edge/protocol.py` yet."""

import asyncio
import socket
import ssl
from collections.abc import Callable
from typing import cast

from chorus.show.server import log
from chorus.show.server.edge.connections import UnknownConnections

HANDSHAKE_S = 5.0
GOODBYE_S = 1.0
"""How long a peer has to confirm the end of a connection; the end of the server does not wait longer."""
MAX_HANDSHAKES = 50
"""One more ends the oldest of them."""
_PAUSE_S = 0.01
"""Between two connections: a neighbour who opens thousands costs little processor time."""
_TROUBLE_S = 1.0
"""How long to wait if no connection can be accepted, for example because too many files are open."""

NewProtocol = Callable[[], asyncio.Protocol]


class Door:
    """The encrypted listener of a server."""

    def __init__(self, listener: socket.socket, context: Callable[[], ssl.SSLContext]) -> None:
        """`context` returns the settings for the next connection: a renewed certificate holds from then on."""
        self._listener = listener
        self._context = context
        self._handshakes = UnknownConnections(MAX_HANDSHAKES)

    async def run(self, new_protocol: NewProtocol) -> None:
        """Accepts connections until cancelled, and hands each over to a new protocol after its handshake."""
        loop = asyncio.get_running_loop()
        self._listener.setblocking(False)
        async with asyncio.TaskGroup() as group:
            while True:
                try:
                    connection, _ = await loop.sock_accept(self._listener)
                except OSError:
                    await asyncio.sleep(_TROUBLE_S)
                    continue
                task = group.create_task(self._welcome(connection, new_protocol))
                self._handshakes.add(task, cast("Callable[[], None]", task.cancel))
                task.add_done_callback(self._handshakes.remove)
                await asyncio.sleep(_PAUSE_S)

    async def _welcome(self, connection: socket.socket, new_protocol: NewProtocol) -> None:
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                new_protocol,
                connection,
                ssl=self._context(),
                ssl_handshake_timeout=HANDSHAKE_S,
                ssl_shutdown_timeout=GOODBYE_S,
            )
        except (OSError, TimeoutError):
            # It speaks no TLS, or another version, or said nothing: it is disconnected without an answer of ours.
            connection.close()
        except asyncio.CancelledError:
            connection.close()
            raise
        except Exception as error:  # noqa: BLE001 - nothing that anybody sends may end the listener
            connection.close()
            log.failure("TLS", "", error)
