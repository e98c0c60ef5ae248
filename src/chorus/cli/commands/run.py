"""`chorus run`: an agent set to work, in this terminal or in the background."""

from pathlib import Path
from typing import Any

import click

from chorus.cli.run_start import go_on, opening
from chorus.cli.steering import image_option, refuse_inside_a_run, start_options, vetted, wishes
from chorus.cli.vault_ids import vault_option
from chorus.errors import ChorusError


@click.command()
@click.argument("source", required=False, metavar="[-]", type=click.Choice(["-"]))
@click.option("-p", "--prompt", metavar="TEXT", help="What to begin with; - reads standard input.")
@click.option(
    "--agent", "agent_name", metavar="NAME", help="An agent of the workspace; `chorus agent list` names them."
)
@click.option("--workspace", metavar="DIR", default=".", help="Where to work; the present folder by default.")
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
    images: tuple[str, ...],
    detach: bool,
    once: bool | None,
    as_json: bool,
    vault: str | None,
    **settings: Any,
) -> None:
    """Start Claude Code in a workspace, keep all that is said, and show it as it comes.

    In a terminal it waits for your next message when a turn is done: Ctrl-C interrupts a turn, Ctrl-D ends the run.
    What it may not do unasked is asked there, and in Chorus at the same time: `chorus approvals` shows it, `chorus
    approve` and `chorus deny` answer. With --detach, or started by a program, it works by itself.
    """
    from chorus.steer.workspaces.start import begin

    refuse_inside_a_run()
    first = opening(source or prompt, images, detach=detach, as_json=as_json, once=once)
    if first.is_empty:
        raise ChorusError("nothing to begin with: say it with -p TEXT, or - for standard input")
    wanted = wishes(is_once=first.is_once, **settings)
    folder, started = vetted(lambda: begin(vault, Path(workspace), agent_name, wanted), vault)
    ctx.exit(go_on(folder, started, first))
