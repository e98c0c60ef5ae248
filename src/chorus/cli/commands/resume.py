"""`chorus resume`: continue a recorded session."""

from typing import Any

import click

from chorus.base import config
from chorus.cli.output import complain
from chorus.cli.run_start import opening, send_and_watch
from chorus.cli.steering import image_option, refuse_inside_a_run, start_options, vetted, wishes
from chorus.cli.vault_ids import open_vault, the_one, vault_option
from chorus.errors import ChorusError
from chorus.steer.runs.run_folders import Runs


@click.command()
@click.argument("conversation", metavar="ID")
@click.argument("prompt", required=False)
@click.option("--fork", is_flag=True, help="Continue in a copy, and leave the session as it is.")
@click.option(
    "--at",
    metavar="MESSAGE",
    help="Continue after this message, its calls and their results, instead of after the last message: its uuid or the "
    "beginning of it, as in `chorus show --json`.",
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
    """Continue the session ID, with PROMPT as the next message (- for standard input).

    ID is the beginning of a conversation's id, four characters or more; the id of a run; the number of a hit of the
    last search; or a query that only this conversation answers. If the client has deleted the session, it is first
    restored, byte for byte.
    """
    from chorus.steer.workspaces.start import resume as resume_session

    refuse_inside_a_run()
    first = opening(prompt, images, detach=detach, as_json=as_json, once=once)
    if first.is_empty:
        raise ChorusError("nothing to send: give a PROMPT, or - for standard input")
    store = open_vault(vault)
    kept = the_one(_session_of(conversation, vault), store)
    wanted = wishes(is_once=first.is_once, **settings)
    resumed = vetted(lambda: resume_session(vault, store, kept, wanted, fork=fork, at=at), vault)
    for path in resumed.restored:
        complain(f"restored from the vault: {path}")
    ctx.exit(send_and_watch(resumed.folder, resumed.run, first))


def _session_of(name: str, vault: str | None) -> str:
    """Return the session id of the run with this id; else `name` unchanged."""
    return next((run.session for _, run in Runs(config.guarded_home(vault)) if run.id == name.strip().lower()), name)
