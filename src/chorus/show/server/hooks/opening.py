"""Opens the hook socket and everything that it needs when the server starts, and closes it with the server."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from chorus.base import config
from chorus.errors import ChorusError
from chorus.show.server import log
from chorus.show.server.edge.control import STATE
from chorus.show.server.hooks.edit_reports import EditReports
from chorus.show.server.hooks.hook_recorder import HookRecorder
from chorus.show.server.hooks.hook_socket import HookSocket
from chorus.show.server.hooks.questions import HookRequests
from chorus.show.server.live.client_watcher import ClientWatcher
from chorus.show.server.services.approvals import ApprovalService
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.hooks.home import Home
from chorus.steer.hooks.status import tampering
from chorus.steer.hooks.strict import write_strict

WATCH_S = 1.0


@contextlib.asynccontextmanager
async def hooks_open(
    root: Path,
    folders: list[Path],
    client_watcher: ClientWatcher,
    approvals: ApprovalService,
    report: Callable[[str | None], None],
) -> AsyncIterator[None]:
    """Serves hooks inside the context. If that is not possible, only terminals ask, and the log says why.

    The approvers that `approvals` trusts were pinned when the server started: an approver that an agent adds later does
    not count here. `report` is called with a text when another program changed the hooks, and with None when they are
    in order again.

    The own vault of a workspace has no hook socket: the hooks of all workspaces connect to the one of the home.
    """
    async with contextlib.AsyncExitStack() as stack:
        try:
            if config.home_of(root) == root:
                await stack.enter_async_context(_opened(Home(root), folders, client_watcher, approvals, report))
        except ChorusError as error:
            log.logger.error("hooks are not served: %s", type(error).__name__)
        yield


async def _watch(home: Home, requests: HookRequests, report: Callable[[str | None], None]) -> None:
    """Reports changes that another program made to the hooks or to the list of approvers, soon after they happen."""
    while True:
        try:
            changed, distrust = await asyncio.to_thread(lambda: (tampering(home), requests.renew_trust()))
            report(changed or (f"{distrust}; if that was you, start `chorus serve` again" if distrust else None))
        except Exception as error:  # noqa: BLE001 - a failed look must not stop the server
            log.failure("HOOKS", "", error)
        await asyncio.sleep(WATCH_S)


@contextlib.asynccontextmanager
async def _opened(
    home: Home,
    folders: list[Path],
    client_watcher: ClientWatcher,
    approvals: ApprovalService,
    report: Callable[[str | None], None],
) -> AsyncIterator[None]:
    state = home.root / STATE
    ledger = Ledger(state)
    requests = HookRequests(ledger, approvals.trust, approvals.file, client_watcher, folders, approvals.rules)
    hook_recorder = HookRecorder(home.root)
    edit_reports = EditReports(home.root)
    socket = HookSocket(
        home,
        ledger,
        requests,
        keep=hook_recorder.keep,
        name_of=hook_recorder.name_of,
        report_edit=edit_reports.report,
    )
    write_strict(home, config.load(home.root))
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(requests.run()),
                group.create_task(_watch(home, requests, report)),
            ]
            try:
                async with socket.open():
                    yield
            finally:
                for each in tasks:
                    each.cancel()
    finally:
        await asyncio.to_thread(hook_recorder.close)
        await asyncio.to_thread(edit_reports.close)
