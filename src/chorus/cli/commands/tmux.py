"""`chorus tmux`: sessions in panes of tmux."""

from pathlib import Path
from typing import Any

import click

from chorus.cli.output import print_json, print_table, say
from chorus.cli.panes import placed_sessions, the_placed
from chorus.cli.steering import refuse_inside_a_run
from chorus.cli.table import Column
from chorus.cli.vault_ids import vault_option
from chorus.core.views.safe import safe_line
from chorus.steer.tmux.connection import Connection
from chorus.steer.tmux.opening import open_pane
from chorus.steer.tmux.panes import go_command, go_to
from chorus.steer.tmux.placing import PlacedClient

_COLUMNS = (
    Column("Session", is_brief=True),
    Column("Pane", min_width=10),
    Column("Status", min_width=10),
    Column("Id", drop_rank=2),
    Column("Server", drop_rank=1, min_width=10, keeps_end=True),
    Column("Folder", drop_rank=3, min_width=16, keeps_end=True),
)


@click.group()
def tmux() -> None:
    """Show and steer sessions that run in panes of tmux."""


@tmux.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array.")
@vault_option
def list_(*, as_json: bool, vault: str | None) -> None:
    """List the sessions in panes of tmux, and what each waits for."""
    found = sorted(placed_sessions(vault).values(), key=lambda each: (each.pane.socket, each.pane.place))
    if as_json:
        print_json([_as_json(each) for each in found])
        return
    rows = [
        (
            each.running.session[:8],
            safe_line(each.pane.place),
            safe_line(_status(each)),
            each.pane.id,
            safe_line(each.pane.socket),
            safe_line(each.running.cwd or ""),
        )
        for each in found
    ]
    print_table("Sessions in panes", _COLUMNS, rows)
    if not rows:
        say("No session runs in a pane of tmux.")


@tmux.command()
@click.argument("session", metavar="ID")
@vault_option
def go(session: str, *, vault: str | None) -> None:
    """Show the pane of a session in tmux.

    If nobody is attached to its tmux server, prints the command that attaches. ID is the beginning of the session's id,
    or a pane such as %3 or work:1.0.
    """
    found = the_placed(session, vault)
    with Connection(Path(found.pane.socket)) as connection:
        who = go_to(connection, found.pane)
    say(f"tmux now shows {safe_line(found.pane.place)}." if who is not None else go_command(found.pane))


@tmux.command(context_settings={"ignore_unknown_options": True})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--socket", metavar="PATH", default="", help="The tmux server, as after `tmux -S`; else the usual one.")
def run(command: tuple[str, ...], *, socket: str) -> None:
    """Start COMMAND in a new pane, and record what it prints.

    COMMAND prints records, such as `claude -p … --output-format stream-json`. They are recorded while `chorus serve`
    runs. The pane stays when the command has ended.
    """
    refuse_inside_a_run()
    opened = open_pane(command, Path.cwd(), follows=True, socket=socket)
    say(f"{opened.pane} {safe_line(opened.place)}")


def _status(placed: PlacedClient) -> str:
    running = placed.running
    words = f"waits: {running.waiting_for}" if running.waiting_for else running.status
    return words if placed.is_foreground else f"{words} (in the background)"


def _as_json(placed: PlacedClient) -> dict[str, Any]:
    """Return the documented form of a session in `chorus tmux list --json`."""
    pane, running = placed.pane, placed.running
    return {
        "session": running.session,
        "pane": pane.id,
        "place": pane.place,
        "socket": pane.socket,
        "status": running.status,
        "waiting_for": running.waiting_for,
        "foreground": placed.is_foreground,
        "pid": running.pid,
        "cwd": running.cwd,
        "command": go_command(pane),
    }
