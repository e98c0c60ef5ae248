"""Runs a server from its start to its end. There is at most one for each vault, which `control.sole_server` ensures."""

import asyncio
import contextlib
import os
import socket
import sys
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import msgspec
from msgspec import Struct

from chorus.base import config
from chorus.base.outgoing import Outgoing
from chorus.core.board.news import BoardNews
from chorus.errors import ChorusError
from chorus.keep.archive.listing import name_of
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.safe_files import put_file
from chorus.show.board.board_reader import BoardReader
from chorus.show.board.budget_alerts import client_works
from chorus.show.server import app, log, memory
from chorus.show.server.context import ServerContext
from chorus.show.server.edge import control
from chorus.show.server.edge.asgi import App
from chorus.show.server.edge.binding import address_text
from chorus.show.server.edge.edge import Edge
from chorus.show.server.edge.limits import Limits
from chorus.show.server.edge.link_page import remove_link_page
from chorus.show.server.edge.logins import Logins
from chorus.show.server.edge.static import BUNDLE, pages
from chorus.show.server.edge.tickets import Tickets
from chorus.show.server.errors import Refused
from chorus.show.server.hooks.opening import hooks_open
from chorus.show.server.http_server import Server, loop_factory, settings, silence_libraries
from chorus.show.server.live.board_watcher import BoardWatcher, live_now
from chorus.show.server.live.budget_watcher import BudgetWatcher, shown_uses
from chorus.show.server.live.client_watcher import ClientWatcher
from chorus.show.server.live.hub import Hub
from chorus.show.server.live.pane_requests import PaneRequests
from chorus.show.server.live.pane_watcher import PaneWatcher
from chorus.show.server.live.progress import Progress, ProgressSnapshot
from chorus.show.server.live.run_watcher import RunWatcher
from chorus.show.server.live.teller import LAST, Teller
from chorus.show.server.network.door import Door
from chorus.show.server.network.listening import Listening
from chorus.show.server.network.trust_page import with_trust_page
from chorus.show.server.push.devices import NAME as DEVICES
from chorus.show.server.push.devices import Devices
from chorus.show.server.push.sender import PushSender
from chorus.show.server.recorder_thread import RecorderThread
from chorus.show.server.services.annotations import watch_annotations
from chorus.show.server.services.approvals import ApprovalService, watch
from chorus.show.server.services.budgets import BudgetService
from chorus.show.server.services.comparisons import Comparisons
from chorus.show.server.services.costs import KnownCosts
from chorus.show.server.services.courtesy import courtesy
from chorus.show.server.services.devices import DeviceService
from chorus.show.server.services.files import KnownFiles
from chorus.show.server.services.notifications import Notifications
from chorus.show.server.services.notifier import Notifier
from chorus.show.server.services.readers import Readers
from chorus.show.server.services.run_control import RunControl
from chorus.show.transcripts.open_transcripts import OpenTranscripts
from chorus.show.transcripts.replays import Replays
from chorus.show.transcripts.summary import Summaries
from chorus.steer.approvals.budgets.budgets_file import BudgetsFile
from chorus.steer.approvals.devices.devices_file import DevicesFile
from chorus.steer.approvals.ledger import Ledger

NOTE = "serve.json"
_MAINTAIN_S = 60.0
_SWITCH_S = 0.001


class ServeNote(Struct):
    """The content of `serve.json`, for people and their scripts. Chorus itself asks the server over its socket."""

    pid: int
    address: str
    port: int
    network: str
    """The address for phones; empty without one."""
    started_at: str


class Start(Struct, kw_only=True):
    """The options of a server."""

    vault: Path
    folders: list[Path]
    listener: socket.socket
    network: Listening | None = None
    """The encrypted listener for phones."""
    limits: Limits = Limits()
    bundle: Path = BUNDLE
    outgoing: Outgoing = msgspec.field(default_factory=Outgoing)
    """The way to push services."""
    ready: Callable[[control.Running, Server], None] = lambda _running, _server: None
    """Called once, when the server accepts requests."""
    on_progress: Callable[[ProgressSnapshot], None] = lambda _snapshot: None
    """Called in any thread each time that the recorder made progress."""


def serve(start: Start) -> None:
    """Serves until a signal arrives. The caller must hold `control.sole_server`."""
    silence_libraries()
    memory.share()
    # A thread that returns from I/O waits this long for a thread that computes, and one answer does so many times.
    sys.setswitchinterval(_SWITCH_S)
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(_serve(start))


async def _serve(start: Start) -> None:
    root, limits = start.vault, start.limits
    state = root / control.STATE
    vault = FileVault(root)
    costs = KnownCosts(config.home(root), lambda text: progress.update(unpriced=text))
    port = start.listener.getsockname()[1]
    address = address_text(start.listener)
    readers = Readers(vault, costs.cost_of, threads=limits.readers, waiting=limits.waiting_reads)
    # The live feed has its own reader thread, so that no search delays it.
    live_readers = Readers(vault, costs.cost_of, threads=1, waiting=limits.waiting_reads, name="teller")
    progress = Progress(str(root), readers)
    transcripts = OpenTranscripts(vault, costs)
    logins = Logins(state / "logins.json")
    hub: Hub
    give_way = courtesy(lambda: readers.is_answering)
    recorder = RecorderThread(FileVault(root), start.folders, progress, lambda: hub.wake(), give_way)  # noqa: PLW0108 - there is no hub yet
    client_watcher = ClientWatcher(start.folders)
    summaries = Summaries(costs, root, lambda: client_watcher.running, lambda: run_watcher.last_runs())  # noqa: PLW0108 - there is no watcher yet
    run_watcher = RunWatcher(config.home_of(root), root, live_readers)
    hub = Hub(
        live_readers,
        Teller(summaries, OpenTranscripts(vault, costs, last=LAST), give_way),
        limits,
        status=progress.status,
        is_writer=lambda: recorder.is_writer,
        running=client_watcher.sessions,
        runs=run_watcher.all_runs,
        board=lambda: board_watcher.standstill,
    )

    def progress_changed() -> None:
        hub.status_changed()
        start.on_progress(progress.snapshot)

    progress.changed = progress_changed
    approvals = ApprovalService(state, config.home_of(root))
    board_watcher = BoardWatcher(
        BoardReader(vault, costs),
        readers,
        lambda: live_now(client_watcher, run_watcher, approvals, budget_watcher.alerts),
        is_writer=lambda: recorder.is_writer,
    )
    budgets_file = BudgetsFile(state)
    budget_watcher = BudgetWatcher(
        lambda: budgets_file.load(approvals.trust.list).in_force,
        run_watcher,
        live_readers,
        vault,
        costs,
        clients=lambda: client_works(client_watcher.entries.values(), lambda session: name_of(root, session)),
    )
    run_watcher.budgets_of = lambda name: shown_uses(budget_watcher.uses.get(name, ()))
    budget_watcher.changed = board_watcher.touch
    notifier = Notifier(config.home_of(root), approvals.asked_by)
    devices = Devices(state / DEVICES)
    push_sender = PushSender(devices, start.outgoing, lambda: config.load(config.home_of(root)).push_contact)
    notifications = Notifications(devices, push_sender, logins, hub.notify, approvals.asked_by)
    tickets = Tickets()
    network = start.network
    paired = DeviceService(
        DevicesFile(state), logins, network.address if network else address, is_only_here=network is None
    )

    def drop_login(login: str) -> None:
        tickets.drop(login)
        notifications.drop_login(login)
        hub.close_ended(logins.is_alive)

    paired.login_ended.append(drop_login)
    board_watcher.changed = hub.board_changed

    def notify_all(news: list[BoardNews]) -> None:
        notifier.tell(news)
        notifications.tell(news)

    board_watcher.report_news = notify_all
    hub.noticed = board_watcher.touch
    pane_requests = PaneRequests(
        Ledger(state),
        approvals.trust,
        approvals.file,
        approvals.rules,
        start.folders,
        name_of=lambda session: name_of(root, session),
    )
    pane_watcher = PaneWatcher(
        root, config.home_of(root), client_watcher, lambda text: progress.update(tmux=text), pane_requests
    )
    client_watcher.changed = hub.running_changed
    run_watcher.changed = hub.runs_changed
    run_watcher.past_changed = hub.annotations_changed
    run_watcher.alarmed = lambda words: progress.update(alarm=words)
    context = ServerContext(
        vault=vault,
        summaries=summaries,
        readers=readers,
        transcripts=transcripts,
        files=KnownFiles(vault),
        replays=Replays(vault, costs),
        logins=logins,
        tickets=tickets,
        hub=hub,
        progress=progress,
        client_watcher=client_watcher,
        pane_watcher=pane_watcher,
        approvals=approvals,
        budgets=BudgetService(vault, approvals, budgets_file, costs, budget_watcher.works),
        board_watcher=board_watcher,
        notifications=notifications,
        devices=paired,
        run_watcher=run_watcher,
        run_control=RunControl(vault, run_watcher),
        comparisons=Comparisons(vault),
        limits=limits,
        port=port,
    )
    api = cast("App", app.make(lambda: context))
    served = pages(start.bundle)
    edge = Edge(
        api,
        with_trust_page(served, lambda: network.root) if network else served,
        logins,
        port=port,
        limits=limits,
        device_scopes=paired.scopes,
        network_hosts=frozenset({network.host_header.encode()} if network else ()),
    )

    def running() -> control.Running:
        log.logger.info("a link was asked for")
        return control.Running(os.getpid(), address, logins.new_link(), network.address if network else "")

    def answer_pairing(asked: control.ControlRequest) -> control.Done:
        try:
            paired.answer(asked.code, is_confirmed=asked.is_confirmed)
        except Refused as refused:
            return control.Done(refused.problem.message)
        return control.Done()

    answers: control.Answers = {
        "link": lambda _asked: running(),
        "waiting": lambda _asked: approvals.approvers().waiting,
        "pair": lambda asked: paired.offer(asked.scope),
        "pairing": lambda _asked: paired.pairing(),
        "answer": answer_pairing,
        "trust": lambda _asked: (
            control.TrustShown(network.address, network.root) if network else control.TrustShown("", b"")
        ),
    }
    door = Door(network.listener, network.context) if network else None
    server = Server(settings(edge, limits), hub, door, lambda: start.ready(running(), server))

    try:
        async with (
            _announced(state, _note(address, port, network), answers),
            hooks_open(root, start.folders, client_watcher, approvals, lambda text: progress.update(hooks=text)),
            asyncio.TaskGroup() as group,
        ):
            group.create_task(hub.run())
            tasks = [
                group.create_task(_maintain(state, logins, hub, readers)),
                group.create_task(client_watcher.run()),
                group.create_task(run_watcher.run()),
                group.create_task(budget_watcher.run()),
                group.create_task(watch(approvals, hub)),
                group.create_task(board_watcher.run()),
                group.create_task(push_sender.run()),
                group.create_task(paired.watch()),
                group.create_task(memory.tidy(lambda: readers.answered + live_readers.answered)),
                group.create_task(watch_annotations(vault, hub)),
            ]
            if network:
                tasks.append(group.create_task(network.keep_fresh()))
            recorder.start()
            pane_watcher.start()
            log.logger.info("serving on port %d%s", port, ", and encrypted on a network" if network else "")
            await server.serve([start.listener])
            for each in tasks:
                each.cancel()
    finally:
        await asyncio.to_thread(pane_watcher.stop)
        stopped = await asyncio.to_thread(recorder.stop)
        await asyncio.to_thread(logins.save)
        remove_link_page(state, older_than_s=0)
        notifier.close()
        for each in (readers, live_readers):
            await asyncio.to_thread(each.close)
        vault.close()
        log.logger.info("the server has ended%s", "" if stopped else ", before the recorder did")


async def _maintain(state: Path, logins: Logins, hub: Hub, readers: Readers) -> None:
    """Every minute: saves the logins, closes sockets of sessions that ended, and removes an old link page."""
    while True:
        await asyncio.sleep(_MAINTAIN_S)
        hub.close_ended(logins.is_alive)
        remove_link_page(state)
        with contextlib.suppress(Refused):
            await readers.in_thread(logins.save)


@contextlib.asynccontextmanager
async def _announced(state: Path, note: ServeNote, answers: control.Answers) -> AsyncIterator[None]:
    """Provides the control socket and `serve.json` while the server runs; replaces those that a killed server left."""
    try:
        channel = await control.listen(state, answers)
        put_file(state / NOTE, msgspec.json.encode(note) + b"\n")
    except OSError as error:
        raise ChorusError(f"{state}: {error.strerror or error}; the server leaves notes there while it runs") from error
    try:
        yield
    finally:
        channel.close()
        for name in (NOTE, control.NAME):
            (state / name).unlink(missing_ok=True)


def _note(address: str, port: int, network: Listening | None) -> ServeNote:
    started_at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return ServeNote(os.getpid(), address, port, network.address if network else "", started_at)
