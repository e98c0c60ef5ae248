"""`chorus send`: a message to an agent at work."""

import click

from chorus.cli.steering import image_option, images_of, refuse_inside_a_run, status_of, the_run, words_of
from chorus.cli.vault_ids import vault_option
from chorus.steer.runs import messages
from chorus.steer.runs.attached import Attached


@click.command()
@click.argument("run", metavar="RUN")
@click.argument("text")
@click.option("--later", is_flag=True, help="Wait for the end of the turn, even if the agent could look at it before.")
@image_option
@vault_option
def send(run: str, text: str, *, later: bool, images: tuple[str, ...], vault: str | None) -> None:
    """Send TEXT (- for standard input) to RUN. While it is busy the message waits; `chorus runs` shows that."""
    refuse_inside_a_run()
    folder, _ = the_run(run, vault)
    with Attached(folder) as attached:
        status = status_of(attached)
        attached.do(messages.Send(text=words_of(text) or "", images=images_of(images), is_later=later))
    is_busy = status is not None and status.state in ("running", "waiting")
    click.echo("sent; it is queued, for the agent is busy" if is_busy else "sent")
