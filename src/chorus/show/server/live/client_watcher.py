"""Polls the registry of running clients and reports which sessions run now."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from chorus.show import wire
from chorus.show.server import log
from chorus.steer.clients.registry import Registry
from chorus.steer.clients.registry_entry import Running

LOOK_S, QUIET_LOOK_S = 0.5, 1.0
"""How often the registry is read; the second value applies while no session runs."""
MAX_SESSIONS = 200
"""The maximum number of sessions in one frame; sessions that wait for a person come first."""


class ClientWatcher:
    """The latest content of the registry; may be read from any thread."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self._registry = Registry(folders)
        self.entries: dict[str, Running] = {}
        """Registry entries by session id; the dict is replaced as a whole and never changed."""
        self.running: dict[str, wire.Running] = {}
        """The same in the form that is sent to pages, at most `MAX_SESSIONS`."""
        self.panes: Mapping[str, wire.Pane] = {}
        """The panes of sessions, which `PaneWatcher` replaces as a whole; they are reported with the next look."""
        self.looks = 0
        """How often the registry was read. A caller that waits for two more reads sees no outdated entry."""
        self.changed: Callable[[], None] = lambda: None
        """Called after each change of `running`."""

    def sessions(self) -> Iterable[wire.Running]:
        return self.running.values()

    async def run(self) -> None:
        """Polls until cancelled. A failed read is tried again: nothing in the registry may stop a server."""
        while True:
            try:
                self._take(await asyncio.to_thread(self._registry.look))
            except Exception as error:  # noqa: BLE001 - the next read may succeed
                log.failure("REGISTRY", "", error)
            await asyncio.sleep(LOOK_S if self.entries else QUIET_LOOK_S)

    def _take(self, found: dict[str, Running]) -> None:
        shown = sorted(found.values(), key=lambda each: (each.status != "waiting", each.session))[:MAX_SESSIONS]
        before = self.running
        self.entries = found
        self.running = {each.session: _wire(each, self.panes.get(each.session)) for each in shown}
        self.looks += 1
        if self.running != before:
            self.changed()


def _wire(running: Running, pane: wire.Pane | None) -> wire.Running:
    return wire.Running(
        session=running.session, pid=running.pid, status=running.status, waiting_for=running.waiting_for, pane=pane
    )
