"""Finds the pane in which a client runs: by the terminal of its process, never by what a pane shows. Pure."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from chorus.base.processes import AtTerminal
from chorus.steer.clients.registry_entry import Running
from chorus.steer.tmux.panes import Pane


class PlacedClient(Struct, frozen=True):
    """A client in a pane."""

    pane: Pane
    running: Running
    is_foreground: bool
    """Whether the terminal sends its keys to this client; if not, a person has put it into the background."""


def place(
    panes: Iterable[Pane], at_terminals: Mapping[int, AtTerminal], clients: Iterable[Running]
) -> dict[str, PlacedClient]:
    """Returns the clients that run in one of the panes, by session.

    `clients` must be alive: their registry entries were checked against the start of their processes.
    """
    by_device = {pane.device: pane for pane in panes if pane.device and not pane.is_dead}
    found: dict[str, PlacedClient] = {}
    for running in clients:
        process = at_terminals.get(running.pid)
        pane = by_device.get(process.device) if process is not None else None
        if process is not None and pane is not None:
            found[running.session] = PlacedClient(pane, running, process.is_foreground)
    return found
