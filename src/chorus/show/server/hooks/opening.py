"""The door for hooks with all it stands on, opened with the server and closed with it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from chorus.base import config
from chorus.errors import ChorusError
from chorus.show.server import log
from chorus.show.server.edge.control import STATE
from chorus.show.server.hooks.hook_recorder import HookRecorder
from chorus.show.server.hooks.hook_socket import HookSocket
from chorus.show.server.hooks.questions import Questions
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
    tell: Callable[[str | None], None],
) -> AsyncIterator[None]:
    """Serve hooks while this is held. Where that cannot be, terminals ask alone, and the log says why.

    The approvers that `approvals` trusts were pinned when the server began: an approver whom an agent adds later does
    not count here. `tell` is called with a text when somebody else changed the hooks, and with None when they are in
    order again.

    The vault that a workspace has for itself has no door: the hooks of all workspaces come to the home's.
    """
    async with contextlib.AsyncExitStack() as stack:
        try:
            if config.home_of(root) == root:
                await stack.enter_async_context(_opened(Home(root), folders, client_watcher, approvals, tell))
        except ChorusError as error:
            log.logger.error("hooks are not served: %s", type(error).__name__)
        yield


async def _watch(home: Home, questions: Questions, tell: Callable[[str | None], None]) -> None:
    """Say what was done to the hooks or to the list of approvers, soon after it was done."""
    while True:
        try:
            told, distrust = await asyncio.to_thread(lambda: (tampering(home), questions.renew_trust()))
            tell(told or (f"{distrust}; if that was you, start `chorus serve` again" if distrust else None))
        except Exception as error:  # noqa: BLE001 - a look that fails is no reason to stop serving
            log.failure("HOOKS", "", error)
        await asyncio.sleep(WATCH_S)


@contextlib.asynccontextmanager
async def _opened(
    home: Home,
    folders: list[Path],
    client_watcher: ClientWatcher,
    approvals: ApprovalService,
    tell: Callable[[str | None], None],
) -> AsyncIterator[None]:
    state = home.root / STATE
    ledger = Ledger(state)
    questions = Questions(ledger, approvals.trust, approvals.file, client_watcher, folders)
    hook_recorder = HookRecorder(home.root)
    socket = HookSocket(home, ledger, questions, keep=hook_recorder.keep, name_of=hook_recorder.name_of)
    write_strict(home, config.load(home.root))
    try:
        async with asyncio.TaskGroup() as group:
            lasting = [
                group.create_task(questions.run()),
                group.create_task(_watch(home, questions, tell)),
            ]
            try:
                async with socket.open():
                    yield
            finally:
                for each in lasting:
                    each.cancel()
    finally:
        await asyncio.to_thread(hook_recorder.close)
