"""Permission prompts of clients in panes, as the registry, the panes and the session files show them."""

from collections.abc import Iterable
from pathlib import Path

from chorus.base import processes
from chorus.errors import TmuxFailed
from chorus.steer.clients.open_calls import OpenCalls
from chorus.steer.clients.registry import Registry
from chorus.steer.clients.registry_entry import Running
from chorus.steer.tmux.agreement import Agreement, agree, the_pane_of
from chorus.steer.tmux.panes import Pane, panes_of
from chorus.steer.tmux.prompt_source import AfterKey, Connections
from chorus.steer.tmux.sight import Sight, look_into


class ClientPrompts:
    """The prompts of all clients that wait for permission. Its keys are sessions."""

    def __init__(self, folders: Iterable[Path]) -> None:
        """`folders` are client folders."""
        self._folders = list(folders)
        self._registry = Registry(self._folders)
        self._running: dict[str, Running] = {}
        self._calls: dict[str, OpenCalls] = {}

    def look(self, connections: Connections) -> dict[str, Agreement | str]:
        self._running = self._registry.look()
        self._calls = {session: each for session, each in self._calls.items() if session in self._running}
        waiting = {session: each for session, each in self._running.items() if each.status == "waiting"}
        panes = [pane for each in connections.values() for pane in panes_of(each)] if waiting else []
        return {session: self._look_closely(each, panes, connections)[0] for session, each in waiting.items()}

    def again(self, known: Agreement, connections: Connections) -> tuple[Agreement | str, Sight | None]:
        running = self._registry.look().get(known.session)
        connection = connections.get(Path(known.pane[0]))
        if running is None or connection is None:
            return "the session or its tmux server is gone", None
        return self._look_closely(running, panes_of(connection), connections)

    def sent(self, known: Agreement) -> None:
        """Nothing has to be noted: the registry says since when a client waits."""

    def after_key(self, sent: Agreement) -> AfterKey:
        running = self._running.get(sent.session)
        if running is None:
            return AfterKey.GONE
        return AfterKey.WAITS if running.status_since_ms == sent.waiting_since_ms else AfterKey.GOES_ON

    def _look_closely(
        self, running: Running, panes: list[Pane], connections: Connections
    ) -> tuple[Agreement | str, Sight | None]:
        """Returns what the three sources say now."""
        pane = the_pane_of(running, panes, processes.at_terminals())
        if isinstance(pane, str):
            return pane, None
        calls = self._calls.setdefault(running.session, OpenCalls(self._folders, running.session)).look()
        connection = connections.get(Path(pane.socket))
        if connection is None:
            return "its tmux server is gone", None
        try:
            sight = look_into(connection, pane)
        except TmuxFailed as error:
            return str(error), None
        return agree(running, pane, calls, sight), sight
