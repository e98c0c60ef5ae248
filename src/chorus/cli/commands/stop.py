"""`chorus stop`: end a run."""

from datetime import UTC, datetime

import click

from chorus.cli.steering import refuse_inside_a_run, the_run
from chorus.cli.vault_ids import vault_option
from chorus.core.records.times import wire_time
from chorus.steer.runs import messages
from chorus.steer.runs.attached import Attached


@click.command()
@click.argument("run", metavar="RUN")
@click.option("--when-done", is_flag=True, help="Let it finish its work; return at once.")
@vault_option
def stop(run: str, *, when_done: bool, vault: str | None) -> None:
    """End RUN and every process it started: ask first, kill after five seconds. Returns when all have ended."""
    refuse_inside_a_run()
    folder, known = the_run(run, vault)
    if known.ending is not None:
        click.echo(f"run {known.id} has already ended")
        return
    if folder.phase(known) == "lost":
        folder.record_loss(known, wire_time(datetime.now(UTC)))
        click.echo(f"run {known.id} was lost with its holder; it is now marked as ended")
        return
    with Attached(folder) as attached:
        if when_done:
            attached.do(messages.Finish())
            click.echo("the run ends when its work is done")
            return
        attached.attach(["err"])
        attached.do(messages.Stop())
        for _ in attached.events():
            pass
    click.echo("stopped")
    from chorus.cli.after_run import take_in

    take_in(folder)
