"""`chorus resume`: a kept session gone on with."""

from typing import Any

import click

from chorus.base import config
from chorus.cli.output import complain
from chorus.cli.run_start import go_on, opening
from chorus.cli.steering import image_option, refuse_inside_a_run, start_options, vetted, wishes
from chorus.cli.vault_ids import open_vault, the_one, vault_option
from chorus.errors import ChorusError
from chorus.steer.runs.run_folders import Runs


@click.command()
@click.argument("conversation", metavar="ID")
@click.argument("prompt", required=False)
@click.option("--fork", is_flag=True, help="Leave the session as it is, and go on in a copy.")
@click.option(
    "--at",
    metavar="MESSAGE",
    help="Go on after this message, with its calls and their results, instead of the last: its uuid or the beginning "
    "of it, as `chorus show --json` gives it.",
)
@image_option
@start_options
@vault_option
@click.pass_context
def resume(
    ctx: click.Context,
    conversation: str,
    prompt: str | None,
    *,
    fork: bool,
    at: str | None,
    images: tuple[str, ...],
    detach: bool,
    once: bool | None,
    as_json: bool,
    vault: str | None,
    **settings: Any,
) -> None:
    """Go on with the session ID, with PROMPT if there is one (- for standard input).

    ID is the beginning of a conversation's id, four characters or more; the id of a run; the number of a hit of the
    last search; or a query that it alone answers. Where the client has deleted its copy, it is written back first, byte
    for byte.
    """
    from chorus.steer.workspaces.start import resume as go_on_with

    refuse_inside_a_run()
    first = opening(prompt, images, detach=detach, as_json=as_json, once=once)
    if first.is_empty:
        raise ChorusError("nothing to go on with: give a PROMPT, or - for standard input")
    store = open_vault(vault)
    kept = the_one(_session_of(conversation, vault), store)
    wanted = wishes(is_once=first.is_once, **settings)
    resumed = vetted(lambda: go_on_with(vault, store, kept, wanted, fork=fork, at=at), vault)
    for path in resumed.restored:
        complain(f"written back from the vault: {path}")
    ctx.exit(go_on(resumed.folder, resumed.run, first))


def _session_of(name: str, vault: str | None) -> str:
    """The session of the run of this id, whole; else the name as it is."""
    return next((run.session for _, run in Runs(config.home(vault)) if run.id == name.strip().lower()), name)
