"""`chorus run`: an agent set to work, in this terminal or in the background."""

from pathlib import Path
from typing import Any

import click

from chorus.cli.output import complain, is_at_terminal, print_json, printable
from chorus.cli.steering import image_option, images_of, refuse_inside_a_run, start_options, vetted, wishes, words_of
from chorus.cli.vault_ids import vault_option
from chorus.errors import ChorusError
from chorus.holding import talk
from chorus.holding.attached import Attached
from chorus.holding.runs import Run, RunFolder
from chorus.protocol.launch import SILENT_MODES
from chorus.protocol.said import Image

FAILED = 1


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
    from chorus.agents.work import begin

    refuse_inside_a_run()
    words = words_of(source or prompt)
    talks = not detach and not as_json and is_at_terminal()
    if words is None and not images and not talks and not detach:
        raise ChorusError("nothing to begin with: say it with -p TEXT, or - for standard input")
    pictures = images_of(images)
    is_once = once if once is not None else not (detach or talks)
    wanted = wishes(is_once=is_once, **settings)
    folder, started = vetted(lambda: begin(vault, Path(workspace), agent_name, wanted), vault)
    ctx.exit(go_on(folder, started, words, pictures, detach=detach, as_json=as_json, talks=talks))


def go_on(
    folder: RunFolder, run: Run, words: str | None, images: list[Image], *, detach: bool, as_json: bool, talks: bool
) -> int:
    """Send the first message to a run that was started, then watch it, or leave it to itself; gives the exit code."""
    _warn_without_approver(run)
    try:
        return _begin(folder, run, words, images, detach=detach, as_json=as_json, talks=talks)
    except ChorusError:
        # A client that refuses to start may be gone before anybody listens: what it said is the answer.
        known = folder.read()
        if known is None or known.ending is None or not known.ending.is_failure:
            raise
        complain(known.ending.words)
        return FAILED


def _begin(
    folder: RunFolder, run: Run, words: str | None, images: list[Image], *, detach: bool, as_json: bool, talks: bool
) -> int:
    from chorus.cli.watching import print_records, watch

    with Attached(folder) as attached:
        if not detach:
            # Who calls it for one answer, and does not wait for that, does not want it.
            attached.attach(["out"], is_needed=run.is_once)
        if words is not None or images:
            attached.do(talk.Send(text=words or "", images=images))
        if detach:
            _tell(run, as_json=as_json)
            return 0
        if as_json:
            return print_records(attached)
        click.echo(f"run {run.id} · session {run.session}", err=True)
        return watch(folder, attached, talks=talks, replies=talks and not run.is_once)


def _warn_without_approver(run: Run) -> None:
    from chorus.approvals.approvers import load

    if run.launch.mode not in SILENT_MODES and not load(Path(run.state)).valid:
        complain("no approver: what this run asks for can only be denied; `chorus approver add`, then start it again")


def _tell(run: Run, *, as_json: bool) -> None:
    if as_json:
        print_json({"run": run.id, "session": run.session, "workspace": run.path, "agent": run.name or None})
        return
    click.echo(run.id)
    click.echo(printable(f"`chorus attach {run.id}` watches it, `chorus stop {run.id}` ends it"), err=True)
