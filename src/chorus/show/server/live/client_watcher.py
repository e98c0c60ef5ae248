"""Which sessions run now: the clients' own registry, looked at over and over and told when it changes."""

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path

from chorus.show import wire
from chorus.show.server import log
from chorus.steer.clients.registry import Registry
from chorus.steer.clients.registry_entry import Running

LOOK_S, QUIET_LOOK_S = 0.5, 1.0
"""How often the registry is looked at; the second while no session runs."""
MAX_TOLD = 200
"""Sessions in one frame; those that wait come first."""


class ClientWatcher:
    """The last look at the registry; may be read from any thread."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self._registry = Registry(folders)
        self.entries: dict[str, Running] = {}
        """What runs, by the ids of sessions; replaced as a whole, never changed."""
        self.running: dict[str, wire.Running] = {}
        """The same as it is told, at most `MAX_TOLD`."""
        self.looks = 0
        """How often it was looked: what somebody saw after two more looks is no leftover."""
        self.changed: Callable[[], None] = lambda: None
        """Called after each change of what is told."""

    def told(self) -> Iterable[wire.Running]:
        return self.running.values()

    async def run(self) -> None:
        """Look until cancelled. A look that fails is tried again: nothing in the registry may end a server."""
        while True:
            try:
                self._take(await asyncio.to_thread(self._registry.look))
            except Exception as error:  # noqa: BLE001 - whatever it was, the next look may be better
                log.failure("REGISTRY", "", error)
            await asyncio.sleep(LOOK_S if self.entries else QUIET_LOOK_S)

    def _take(self, found: dict[str, Running]) -> None:
        told = sorted(found.values(), key=lambda each: (each.status != "waiting", each.session))[:MAX_TOLD]
        before = self.running
        self.entries = found
        self.running = {each.session: _wire(each) for each in told}
        self.looks += 1
        if self.running != before:
            self.changed()


def _wire(running: Running) -> wire.Running:
    return wire.Running(
        session=running.session, pid=running.pid, status=running.status, waiting_for=running.waiting_for
    )
