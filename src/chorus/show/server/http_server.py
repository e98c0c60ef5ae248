"""The HTTP server below the application: uvicorn with our protocols, limits and signals, and without its logs."""

import asyncio
import contextlib
import logging
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from types import FrameType

import uvicorn

from chorus.show.server.edge.edge import Edge
from chorus.show.server.edge.limits import Limits
from chorus.show.server.edge.protocol import Sockets, http_protocol
from chorus.show.server.live.hub import Hub
from chorus.show.server.network.door import Door

_TICKS_A_SECOND = 10
"""uvicorn counts ticks of a tenth of a second."""


class Server(uvicorn.Server):
    """Stops on SIGINT and SIGTERM, and closes its live sockets first."""

    def __init__(self, settings: uvicorn.Config, hub: Hub, door: Door | None, ready: Callable[[], None]) -> None:
        super().__init__(settings)
        self._hub = hub
        self._door = door
        self._ready = ready
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ending = asyncio.Event()

    def end(self) -> None:
        """Asks the server to stop; may be called from any thread and from a signal handler."""
        self.should_exit = True
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._ending.set)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self.end()

    async def main_loop(self) -> None:
        """Wakes once a second, and not ten times as the base class does, so that an idle server costs little."""
        self._loop = asyncio.get_running_loop()
        async with asyncio.TaskGroup() as group:
            accepting = group.create_task(self._door.run(self._new_protocol)) if self._door else None
            seconds = 0
            while not await self.on_tick(seconds * _TICKS_A_SECOND):
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._ending.wait(), 1.0)
                seconds += 1
            if accepting is not None:
                accepting.cancel()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    def _new_protocol(self) -> asyncio.Protocol:
        make: Callable[..., asyncio.Protocol] = self.config.http_protocol_class
        return make(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._hub.close()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:  # pyrefly: ignore - the base class has the same signature
        """Stops the server on a signal. Unlike the base class, does not raise the signal again, so that the clean-up
        after it still runs."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def settings(edge: Edge, limits: Limits) -> uvicorn.Config:
    """Returns the settings of uvicorn: our protocols with these limits, and nothing that we do not need."""
    return uvicorn.Config(
        edge,
        http=http_protocol(limits),
        ws=Sockets,
        ws_max_size=limits.frame_bytes,
        ws_ping_interval=20.0,
        ws_ping_timeout=20.0,
        ws_per_message_deflate=False,
        lifespan="off",
        access_log=False,
        log_config=None,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=3,
    )


def silence_libraries() -> None:
    """Silences the loggers of libraries, which would write addresses and error messages; `log` writes what matters."""
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi", "websockets", "litestar"):
        logger = logging.getLogger(name)
        logger.propagate = False
        logger.setLevel(logging.CRITICAL)
        logger.addHandler(logging.NullHandler())


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Returns what makes the event loop; None for the loop of the standard library."""
    try:
        from uvloop import new_event_loop
    except ImportError:
        return None
    return new_event_loop
