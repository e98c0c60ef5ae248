"""The door for hooks with all it stands on, opened with the server and closed with it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from chorus.base import config
from chorus.errors import ChorusError
from chorus.show.server import log
from chorus.show.server.edge.control import STATE
from chorus.show.server.hooks.hook_recorder import HookKeeping
from chorus.show.server.hooks.hook_socket import HookDoor
from chorus.show.server.hooks.questions import Questions
from chorus.show.server.live.client_watcher import Present
from chorus.show.server.services.approvals import Desk
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.hooks.home import Home
from chorus.steer.hooks.status import tampering
from chorus.steer.hooks.strict import write_strict

WATCH_S = 1.0


@contextlib.asynccontextmanager
async def hooks_open(
    root: Path, folders: list[Path], present: Present, desk: Desk, tell: Callable[[str | None], None]
) -> AsyncIterator[None]:
    """Serve hooks while this is held. Where that cannot be, terminals ask alone, and the log says why.

    What `desk` trusts was pinned when the server began: who an agent adds later is no approver here. `tell` is told
    when somebody else changed the hooks, and (None) when they are in order again.

    The vault that a workspace has for itself has no door: the hooks of all workspaces come to the home's.
    """
    async with contextlib.AsyncExitStack() as stack:
        try:
            if config.home_of(root) == root:
                await stack.enter_async_context(_opened(Home(root), folders, present, desk, tell))
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
    home: Home, folders: list[Path], present: Present, desk: Desk, tell: Callable[[str | None], None]
) -> AsyncIterator[None]:
    state = home.root / STATE
    ledger = Ledger(state)
    questions = Questions(ledger, desk.trust, desk.file, present, folders)
    keeping = HookKeeping(home.root)
    door = HookDoor(home, ledger, questions, keep=keeping.keep, name_of=keeping.name_of)
    write_strict(home, config.load(home.root))
    try:
        async with asyncio.TaskGroup() as group:
            lasting = [
                group.create_task(questions.run()),
                group.create_task(_watch(home, questions, tell)),
            ]
            try:
                async with door.open():
                    yield
            finally:
                for each in lasting:
                    each.cancel()
    finally:
        await asyncio.to_thread(keeping.close)
