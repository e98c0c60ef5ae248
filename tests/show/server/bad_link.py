"""A bad link on loopback: everything through it is late, and connections break in the middle of what they carry."""

import asyncio
import contextlib
import random
import threading
from collections.abc import Iterator

from msgspec import Struct

from tests.show.server.serving import PATIENCE_S

_CHUNK_BYTES = 4_096


class Seen(Struct):
    """What a link did."""

    connections: int = 0
    refused: int = 0
    """Connections that found no server."""
    broken: int = 0
    broken_inside: int = 0
    """Connections that were broken after a part of what had to go through."""
    longest_delay_s: float = 0.0


class BadLink:
    """Forwards TCP connections from a port of its own to the server's, badly until `calm`."""

    def __init__(self, server_port: int, *, delay_s: float, breaks: float, seed: int) -> None:
        """Each piece waits up to `delay_s`; with the chance `breaks`, its connection ends there, without a goodbye."""
        self.port = 0
        self.seen = Seen()
        self._server_port = server_port
        self._delay_s = delay_s
        self._breaks = breaks
        self._chance = random.Random(seed)
        self._flows = True
        self._began = threading.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._over: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def calm(self) -> None:
        """From now on, nothing is late or breaks."""
        self._delay_s, self._breaks = 0.0, 0.0

    def stall(self) -> None:
        """From now on, nothing is read any more."""
        self._flows = False

    def run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._take, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._began.set()
        await self._over.wait()
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _take(self, near: asyncio.StreamReader, near_out: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._forward(near, near_out))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _forward(self, near: asyncio.StreamReader, near_out: asyncio.StreamWriter) -> None:
        self.seen.connections += 1
        try:
            far, far_out = await asyncio.open_connection("127.0.0.1", self._server_port)
        except OSError:
            self.seen.refused += 1
            near_out.transport.abort()
            return
        both = (near_out, far_out)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._carry(near, far_out, both))
                group.create_task(self._carry(far, near_out, both))
            for each in both:
                each.close()
                with contextlib.suppress(OSError):
                    await each.wait_closed()
        finally:
            for each in both:
                each.transport.abort()

    async def _carry(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, both: tuple[asyncio.StreamWriter, ...]
    ) -> None:
        with contextlib.suppress(OSError):
            while self._flows and (piece := await source.read(self._chance.randint(1, _CHUNK_BYTES))):
                delay_s = self._chance.uniform(0.0, self._delay_s)
                self.seen.longest_delay_s = max(self.seen.longest_delay_s, delay_s)
                await asyncio.sleep(delay_s)
                if self._chance.random() < self._breaks:
                    await self._break(target, piece[: self._chance.randrange(len(piece))])
                    for each in both:
                        each.transport.abort()
                    return
                target.write(piece)
                await target.drain()
            if not self._flows:
                await asyncio.Event().wait()
            target.write_eof()

    async def _break(self, target: asyncio.StreamWriter, part: bytes) -> None:
        self.seen.broken += 1
        self.seen.broken_inside += bool(part)
        target.write(part)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(target.drain(), 1.0)


@contextlib.contextmanager
def bad_link(server_port: int, *, delay_s: float, breaks: float, seed: int = 11) -> Iterator[BadLink]:
    """Runs a bad link in a thread, and ends it on exit."""
    link = BadLink(server_port, delay_s=delay_s, breaks=breaks, seed=seed)
    thread = threading.Thread(target=link.run, name="bad link")
    thread.start()
    try:
        assert link._began.wait(PATIENCE_S)
        yield link
    finally:
        if link._loop is not None and link._over is not None:
            link._loop.call_soon_threadsafe(link._over.set)
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
