"""`chorus deny`: deny a request. This needs no approver."""

import click

from chorus.cli.vault_ids import vault_option


@click.command()
@click.argument("request_id", metavar="ID")
@click.option("-m", "--message", default="", help="What to tell the agent.")
@vault_option
@click.pass_context
def deny(ctx: click.Context, request_id: str, *, message: str, vault: str | None) -> None:
    """Deny the request ID. This needs no approver: any process of your user may deny.

    The exit code is 1 if the denial came too late.
    """
    from chorus.cli import deciding
    from chorus.steer.approvals.lifecycle import Refused

    ledger = deciding.current_ledger(deciding.state_folder(vault))
    row = deciding.find_request(ledger, request_id)
    done = deciding.deny(ledger, row, message)
    if isinstance(done, Refused):
        deciding.refuse(ctx, done)
    deciding.report_effect(ctx, ledger, done, f"Denied {row.id[:8]}")
