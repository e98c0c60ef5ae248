"""A server from its start to its end. One for each vault: whoever comes second is sent to the one that runs."""

import asyncio
import contextlib
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import cast

import msgspec
import uvicorn
from msgspec import Struct

from chorus.base import config
from chorus.errors import ChorusError
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.safe_files import put_file
from chorus.show import wire
from chorus.show.server import app, log, memory
from chorus.show.server.context import Served
from chorus.show.server.edge import control
from chorus.show.server.edge.asgi import App
from chorus.show.server.edge.binding import address_text
from chorus.show.server.edge.edge import Edge
from chorus.show.server.edge.limits import Limits
from chorus.show.server.edge.link_page import remove_doorway
from chorus.show.server.edge.logins import Logins
from chorus.show.server.edge.protocol import Sockets, http_protocol
from chorus.show.server.edge.static import BUNDLE, pages
from chorus.show.server.edge.tickets import Tickets
from chorus.show.server.errors import Refused
from chorus.show.server.hooks.opening import hooks_open
from chorus.show.server.live.client_watcher import ClientWatcher
from chorus.show.server.live.hub import Hub
from chorus.show.server.live.progress import Progress, Standing
from chorus.show.server.live.run_watcher import RunWatcher
from chorus.show.server.live.teller import LAST, Teller
from chorus.show.server.recorder_thread import RecorderThread
from chorus.show.server.services.annotations import watch_annotations
from chorus.show.server.services.approvals import ApprovalService, watch
from chorus.show.server.services.costs import KnownCosts
from chorus.show.server.services.courtesy import courtesy
from chorus.show.server.services.readers import Readers
from chorus.show.server.services.run_control import RunControl
from chorus.show.transcripts.open_transcripts import OpenTranscripts
from chorus.show.transcripts.summary import Summaries

NOTE = "serve.json"
_TEND_S = 60.0
_SWITCH_S = 0.001
_TICKS_A_SECOND = 10
"""The base class counts tenths of seconds."""


class Note(Struct):
    """Which server runs here: for people and their scripts. Chorus itself asks the server."""

    pid: int
    address: str
    port: int
    started_at: str


class Start(Struct, kw_only=True):
    """What a server is started with."""

    vault: Path
    folders: list[Path]
    listener: socket.socket
    limits: Limits = Limits()
    bundle: Path = BUNDLE
    ready: Callable[[control.Running, "Server"], None] = lambda _running, _server: None
    """Told once, when the server answers."""
    told: Callable[[Standing], None] = lambda _standing: None
    """Told each time that the recorder went on, in any thread."""


class Server(uvicorn.Server):
    """Ends on SIGINT and SIGTERM, and closes its live sockets first."""

    def __init__(self, settings: uvicorn.Config, hub: Hub, ready: Callable[[], None]) -> None:
        super().__init__(settings)
        self._hub = hub
        self._ready = ready
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ending = asyncio.Event()

    def end(self) -> None:
        """Ask the server to end; may be called from any thread and from a signal handler."""
        self.should_exit = True
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._ending.set)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self.end()

    async def main_loop(self) -> None:
        """As in the base class, but woken once a second instead of ten times, so that an idle server costs little."""
        self._loop = asyncio.get_running_loop()
        seconds = 0
        while not await self.on_tick(seconds * _TICKS_A_SECOND):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ending.wait(), 1.0)
            seconds += 1

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._hub.close()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:  # pyrefly: ignore - as the base has it
        """A signal ends the server and nothing more: what is to be cleaned up comes after it."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def serve(start: Start) -> None:
    """Serve until a signal comes. Hold `control.sole_server` around it."""
    _quiet_uvicorn()
    memory.share()
    # Whoever comes back from the disk waits so long for a thread that computes: an answer does so many times.
    sys.setswitchinterval(_SWITCH_S)
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(start))


async def _serve(start: Start) -> None:
    root, limits = start.vault, start.limits
    state = root / control.STATE
    vault = FileVault(root)
    costs = KnownCosts(config.home(root), lambda text: progress.tell(unpriced=text))
    port = start.listener.getsockname()[1]
    address = address_text(start.listener)
    readers = Readers(vault, costs.cost_of, threads=limits.readers, waiting=limits.waiting_reads)
    # Who tells what changes has a thread of its own: no search holds it up.
    telling = Readers(vault, costs.cost_of, threads=1, waiting=limits.waiting_reads, name="teller")
    progress = Progress(str(root), readers)
    transcripts = OpenTranscripts(vault, costs)
    logins = Logins(state / "logins.json")
    hub: Hub
    give_way = courtesy(lambda: readers.is_answering)
    recorder = RecorderThread(FileVault(root), start.folders, progress, lambda: hub.wake(), give_way)  # noqa: PLW0108 - there is no hub yet
    client_watcher = ClientWatcher(start.folders)
    summaries = Summaries(costs, root, lambda: client_watcher.running)
    run_watcher = RunWatcher(config.home_of(root), root, telling)
    hub = Hub(
        telling,
        Teller(summaries, OpenTranscripts(vault, costs, last=LAST), give_way),
        limits,
        status=progress.status,
        is_writer=lambda: recorder.is_writer,
        running=client_watcher.told,
        runs=run_watcher.told,
    )

    def went_on() -> None:
        hub.status_changed()
        start.told(progress.standing)

    progress.changed = went_on
    approvals = ApprovalService(state, config.home_of(root))
    client_watcher.changed = hub.running_changed
    run_watcher.changed = hub.runs_changed
    run_watcher.alarmed = lambda words: progress.tell(alarm=words)
    served = Served(
        vault=vault,
        summaries=summaries,
        readers=readers,
        transcripts=transcripts,
        logins=logins,
        tickets=Tickets(),
        hub=hub,
        progress=progress,
        client_watcher=client_watcher,
        approvals=approvals,
        run_watcher=run_watcher,
        run_control=RunControl(vault, run_watcher),
        limits=limits,
        port=port,
    )
    api = cast("App", app.make(lambda: served))
    edge = Edge(api, pages(start.bundle), logins, port=port, limits=limits)

    def running() -> control.Running:
        log.logger.info("a link was asked for")
        return control.Running(os.getpid(), address, logins.new_link())

    server = Server(_settings(edge, limits), hub, lambda: start.ready(running(), server))

    try:
        async with (
            _told_of(state, address, port, running, lambda: approvals.approvers().waiting),
            hooks_open(root, start.folders, client_watcher, approvals, lambda text: progress.tell(hooks=text)),
            asyncio.TaskGroup() as group,
        ):
            group.create_task(hub.run())
            lasting = [
                group.create_task(_tend(state, logins, hub, readers)),
                group.create_task(client_watcher.run()),
                group.create_task(run_watcher.run()),
                group.create_task(watch(approvals, hub)),
                group.create_task(memory.tidy(lambda: readers.answered + telling.answered)),
                group.create_task(watch_annotations(vault, hub)),
            ]
            recorder.start()
            log.logger.info("serving on port %d", port)
            await server.serve([start.listener])
            for each in lasting:
                each.cancel()
    finally:
        stopped = await asyncio.to_thread(recorder.stop)
        await asyncio.to_thread(logins.save)
        remove_doorway(state, older_than_s=0)
        for each in (readers, telling):
            await asyncio.to_thread(each.close)
        vault.close()
        log.logger.info("the server has ended%s", "" if stopped else ", before the recorder did")


async def _tend(state: Path, logins: Logins, hub: Hub, readers: Readers) -> None:
    """Now and then: write down who was seen, and end what is over."""
    while True:
        await asyncio.sleep(_TEND_S)
        hub.close_ended(logins.is_alive)
        remove_doorway(state)
        with contextlib.suppress(Refused):
            await readers.aside(logins.save)


def _settings(edge: Edge, limits: Limits) -> uvicorn.Config:
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


@contextlib.asynccontextmanager
async def _told_of(
    state: Path,
    address: str,
    port: int,
    running: Callable[[], control.Running],
    waiting: Callable[[], tuple[wire.Enrolment, ...]],
) -> AsyncIterator[None]:
    """The socket and `serve.json`, while the server runs; what a killed one left is replaced."""
    try:
        channel = await control.listen(state, running, waiting)
        _write_note(state / NOTE, address, port)
    except OSError as error:
        raise ChorusError(f"{state}: {error.strerror or error}; the server leaves notes there while it runs") from error
    try:
        yield
    finally:
        channel.close()
        for name in (NOTE, control.NAME):
            (state / name).unlink(missing_ok=True)


def _write_note(path: Path, address: str, port: int) -> None:
    started_at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    put_file(path, msgspec.json.encode(Note(os.getpid(), address, port, started_at)) + b"\n")


def _quiet_uvicorn() -> None:
    """It would log addresses and the words of errors; what matters is logged by us."""
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi", "websockets", "litestar"):
        logger = logging.getLogger(name)
        logger.propagate = False
        logger.setLevel(logging.CRITICAL)
        logger.addHandler(logging.NullHandler())


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        from uvloop import new_event_loop
    except ImportError:
        return None
    return new_event_loop
