"""`chorus set`: how an agent at work goes on."""

import click

from chorus.cli.steering import refuse_inside_a_run, the_run
from chorus.cli.vault_ids import vault_option
from chorus.errors import ChorusError
from chorus.holding import talk
from chorus.holding.attached import Attached
from chorus.protocol.launch import MODES, UNASKED_MODES


@click.command("set")
@click.argument("run", metavar="RUN")
@click.option("--model", help="The model to go on with.")
@click.option(
    "--mode", type=click.Choice([mode for mode in MODES if mode not in UNASKED_MODES]), help="The permission mode."
)
@vault_option
def set_(run: str, *, model: str | None, mode: str | None, vault: str | None) -> None:
    """Change the model or the permission mode of RUN while it works."""
    refuse_inside_a_run()
    if model is None and mode is None:
        raise ChorusError("nothing to change: give --model or --mode")
    folder, _ = the_run(run, vault)
    with Attached(folder) as attached:
        if model is not None:
            attached.do(talk.SetModel(model=model))
        if mode is not None:
            attached.do(talk.SetMode(mode=mode))
    click.echo("changed")
