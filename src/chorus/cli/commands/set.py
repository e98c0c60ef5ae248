"""`chorus set`: change the model or the permission mode of a running agent."""

from pathlib import Path

import click

from chorus.cli.steering import refuse_inside_a_run, the_run
from chorus.cli.vault_ids import vault_option
from chorus.core.protocol.launch import MODES, UNASKED_MODES
from chorus.errors import ChorusError
from chorus.steer.runs import messages
from chorus.steer.runs.attached import Attached


@click.command("set")
@click.argument("run", metavar="RUN")
@click.option("--model", help="The new model.")
@click.option(
    "--mode", type=click.Choice([mode for mode in MODES if mode not in UNASKED_MODES]), help="The new permission mode."
)
@vault_option
def set_(run: str, *, model: str | None, mode: str | None, vault: str | None) -> None:
    """Change the model or the permission mode of RUN while it works.

    A mode that allows more without asking needs an approver, like a request of an agent.
    """
    refuse_inside_a_run()
    if model is None and mode is None:
        raise ChorusError("nothing to change: give --model or --mode")
    folder, known = the_run(run, vault)
    request = None
    with Attached(folder) as attached:
        if model is not None:
            attached.do(messages.SetModel(model=model))
        if mode is not None:
            body = attached.do(messages.SetMode(mode=mode)).body
            request = body.get("request") if isinstance(body, dict) else None
        if isinstance(request, str):
            _have_approved(request, Path(known.state))
    click.echo("changed")


def _have_approved(request: str, state: Path) -> None:
    """Let an approver sign a wider mode: here if one has a passphrase, else on the page."""
    from chorus.cli import deciding, passphrases
    from chorus.steer.approvals.ledger import Ledger
    from chorus.steer.approvals.lifecycle import Refused

    ledger = Ledger(state)
    name = request[: deciding.SHORT_ID]
    try:
        row = deciding.find_request(ledger, request)
        passphrases.refuse_without_a_terminal("Setting a wider mode")
        done, _ = deciding.approve(ledger, state, row)
    except ChorusError as error:
        raise ChorusError(
            f"a wider mode needs an approver: {error}; request {name} is pending, on the page and in `chorus approvals`"
        ) from error
    if isinstance(done, Refused):
        raise ChorusError(done.message)
