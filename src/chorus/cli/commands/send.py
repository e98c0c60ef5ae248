"""`chorus send`: send a message to a running agent."""

import click

from chorus.cli.steering import image_option, images_of, refuse_inside_a_run, status_of, the_run, words_of
from chorus.cli.vault_ids import vault_option
from chorus.steer.runs import messages
from chorus.steer.runs.attached import Attached


@click.command()
@click.argument("run", metavar="RUN")
@click.argument("text")
@click.option("--later", is_flag=True, help="Deliver it after the turn, even if the agent could read it earlier.")
@image_option
@vault_option
def send(run: str, text: str, *, later: bool, images: tuple[str, ...], vault: str | None) -> None:
    """Send TEXT (- for standard input) to RUN. While RUN is busy, the message is queued; `chorus runs` shows that."""
    refuse_inside_a_run()
    folder, _ = the_run(run, vault)
    with Attached(folder) as attached:
        status = status_of(attached)
        attached.do(messages.Send(text=words_of(text) or "", images=images_of(images), is_later=later))
    is_busy = status is not None and status.state in ("running", "waiting")
    click.echo("sent; queued, because the agent is busy" if is_busy else "sent")
