"""`chorus run`: start an agent in this terminal or in the background."""

import sys
from pathlib import Path
from typing import Any

import click

from chorus.cli.output import remark
from chorus.cli.run_start import opening, send_and_watch
from chorus.cli.steering import image_option, refuse_inside_a_run, start_options, vetted, wishes
from chorus.cli.vault_ids import vault_option
from chorus.errors import ChorusError


@click.command()
@click.argument("source", required=False, metavar="[-]", type=click.Choice(["-"]))
@click.option("-p", "--prompt", metavar="TEXT", help="The first message; - reads standard input.")
@click.option(
    "--agent", "agent_name", metavar="NAME", help="An agent of the workspace; `chorus agent list` lists them."
)
@click.option("--workspace", metavar="DIR", default=".", help="Where to work; by default the current folder.")
@click.option("--tmux", "in_pane", is_flag=True, help="Run it in the background and watch it in a new pane of tmux.")
@image_option
@start_options
@vault_option
@click.pass_context
def run(
    ctx: click.Context,
    source: str | None,
    *,
    prompt: str | None,
    agent_name: str | None,
    workspace: str,
    in_pane: bool,
    images: tuple[str, ...],
    detach: bool,
    once: bool | None,
    as_json: bool,
    vault: str | None,
    **settings: Any,
) -> None:
    """Start Claude Code in a workspace, record everything, and show it live.

    In a terminal it waits for your next message when a turn is done. Ctrl-C interrupts a turn, Ctrl-D ends the run.
    Requests for permission appear in the terminal and in Chorus at the same time: `chorus approvals` shows them,
    `chorus approve` and `chorus deny` decide them. With --detach, or if a program starts it, it does not ask in the
    terminal.
    """
    from chorus.steer.workspaces.start import begin

    refuse_inside_a_run()
    detach = detach or in_pane
    first = opening(source or prompt, images, detach=detach, as_json=as_json, once=once)
    if first.is_empty:
        raise ChorusError("no first message: give it with -p TEXT, or - for standard input")
    wanted = wishes(is_once=first.is_once, **settings)
    folder, started = vetted(lambda: begin(vault, Path(workspace), agent_name, wanted), vault)
    code = send_and_watch(folder, started, first)
    if in_pane and code == 0:
        _show_in_pane(started.id, Path(workspace), vault)
    ctx.exit(code)


def _show_in_pane(run_id: str, folder: Path, vault: str | None) -> None:
    """Open a pane in which a person watches the run and answers it."""
    from chorus.steer.tmux.opening import open_pane

    home = ["--vault", vault] if vault else []
    opened = open_pane([sys.executable, "-m", "chorus", "attach", run_id, *home], folder.absolute(), follows=False)
    remark(f"it is shown in the tmux pane {opened.place}")
