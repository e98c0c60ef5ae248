"""`chorus interrupt`: end the current turn of a run."""

import click

from chorus.cli.steering import refuse_inside_a_run, status_of, the_run
from chorus.cli.vault_ids import vault_option
from chorus.steer.runs import messages
from chorus.steer.runs.attached import Attached


@click.command()
@click.argument("run", metavar="RUN")
@vault_option
def interrupt(run: str, *, vault: str | None) -> None:
    """Interrupt the current turn of RUN. Its pending requests are withdrawn, and it waits for the next message."""
    refuse_inside_a_run()
    folder, _ = the_run(run, vault)
    with Attached(folder) as attached:
        status = status_of(attached)
        attached.do(messages.Interrupt())
    is_idle = status is not None and status.state == "idle"
    click.echo("it was not working: it waits for a message" if is_idle else "interrupted")
