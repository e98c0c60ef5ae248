"""`chorus deny`: keep an agent from what it asked for. Anybody may."""

import click

from chorus.cli.vault_ids import vault_option


@click.command()
@click.argument("request_id", metavar="ID")
@click.option("-m", "--message", default="", help="What to tell the agent.")
@vault_option
@click.pass_context
def deny(ctx: click.Context, request_id: str, *, message: str, vault: str | None) -> None:
    """Deny the request ID. Needs no approver: whatever runs as you may say no.

    The exit code is 1 when it came too late.
    """
    from chorus.cli import deciding
    from chorus.steer.approvals.lifecycle import Refused

    ledger = deciding.looked_at(deciding.state_folder(vault))
    row = deciding.named_row(ledger, request_id)
    done = deciding.deny(ledger, row, message)
    if isinstance(done, Refused):
        deciding.refuse(ctx, done)
    deciding.tell_effect(ctx, ledger, done, f"Denied {row.id[:8]}")
