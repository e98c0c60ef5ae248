"""Shared code of commands about panes of tmux: where running sessions live."""

from pathlib import Path

import click

from chorus.base import config
from chorus.cli.output import printable
from chorus.core.views.safe import safe_line
from chorus.errors import ChorusError, SourceUnreadable
from chorus.keep.sources.discover import config_folder
from chorus.steer.clients.registry import Registry
from chorus.steer.tmux.open_servers import OpenServers
from chorus.steer.tmux.placing import PlacedClient
from chorus.steer.tmux.servers import server_sockets

SHORTEST = 4
"""The fewest characters of a session id that name it."""


def placed_sessions(vault: str | None) -> dict[str, PlacedClient]:
    """Return the pane of each session whose client runs in one; problems with tmux are printed."""
    settings = config.load(config.guarded_home(vault))
    if settings.tmux == "off" or not server_sockets(settings.tmux_sockets):
        return {}
    clients = Registry([config_folder()]).look()
    with OpenServers(settings, lambda text: click.echo(printable(f"chorus: {text}"), err=True)) as servers:
        return servers.place(clients.values())


def pane_places(vault: str | None) -> dict[str, str]:
    """Return where each session lives, such as `work:1.0`; empty, without an error, if that cannot be determined."""
    try:
        return {session: each.pane.place for session, each in placed_sessions(vault).items()}
    except ChorusError:
        return {}


def the_placed(name: str, vault: str | None) -> PlacedClient:
    """Return the session in a pane whose id begins with `name`, or that is in the pane `name`, such as `%3`."""
    wanted = name.strip()
    found = [
        each
        for session, each in placed_sessions(vault).items()
        if (len(wanted) >= SHORTEST and session.startswith(wanted)) or wanted in (each.pane.id, each.pane.place)
    ]
    if not found:
        raise SourceUnreadable(f"{wanted}: no such session runs in a pane of tmux; `chorus tmux list` lists them")
    if len(found) > 1:
        raise SourceUnreadable(f"{wanted}: means {len(found)} sessions; `chorus tmux list` lists them")
    return found[0]


def send_to_pane(name: str, text: str, vault: str | None, error: ChorusError, *, has_options: bool) -> str:
    """Send a message to a session in a pane and return where that is.

    If there is no such session, raises `error` with one more hint. `has_options`: options were given that only runs
    know.
    """
    from chorus.steer.tmux.connection import Connection
    from chorus.steer.tmux.sending import send_message

    try:
        placed = the_placed(name, vault)
    except SourceUnreadable:
        raise ChorusError(f"{error}, and `chorus tmux list` the sessions in panes") from None
    if has_options:
        raise ChorusError("a session in a pane takes only text: --later and --image are for runs")
    registry = Registry([config_folder()])
    with Connection(Path(placed.pane.socket)) as connection:
        send_message(connection, placed, lambda: registry.look().get(placed.running.session), text)
    return safe_line(placed.pane.place)
