"""`chorus send`: send a message to a running agent."""

import click

from chorus.cli.steering import image_option, images_of, refuse_inside_a_run, status_of, the_run, words_of
from chorus.cli.vault_ids import vault_option
from chorus.errors import ChorusError
from chorus.steer.runs import messages
from chorus.steer.runs.attached import Attached


@click.command()
@click.argument("run", metavar="RUN")
@click.argument("text")
@click.option("--later", is_flag=True, help="Deliver it after the turn, even if the agent could read it earlier.")
@image_option
@vault_option
def send(run: str, text: str, *, later: bool, images: tuple[str, ...], vault: str | None) -> None:
    """Send TEXT (- for standard input) to RUN. While RUN is busy, the message is queued; `chorus runs` shows that.

    RUN may also be a session in a pane of tmux: its id, or a pane such as %3. Such a session gets the message only
    while it waits for one and nobody types.
    """
    refuse_inside_a_run()
    try:
        folder, _ = the_run(run, vault)
    except ChorusError as error:
        _send_to_pane(run, words_of(text) or "", vault, error, has_options=later or bool(images))
        return
    with Attached(folder) as attached:
        status = status_of(attached)
        attached.do(messages.Send(text=words_of(text) or "", images=images_of(images), is_later=later))
    is_busy = status is not None and status.state in ("running", "waiting")
    click.echo("sent; queued, because the agent is busy" if is_busy else "sent")


def _send_to_pane(name: str, text: str, vault: str | None, error: ChorusError, *, has_options: bool) -> None:
    """Send a message to a session in a pane; raise `error`, which says that there is no such run, if there is none."""
    from chorus.cli.panes import send_to_pane

    place = send_to_pane(name, text, vault, error, has_options=has_options)
    click.echo(f"sent to the pane {place}")
