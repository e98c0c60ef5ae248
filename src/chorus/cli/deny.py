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
    from chorus.approvals.ledger import Ledger, utc_now
    from chorus.approvals.machine import Refused
    from chorus.approvals.model import Decision
    from chorus.cli.deciding import named_row, refuse, state_folder
    from chorus.cli.output import printable
    from chorus.records.times import wire_time

    ledger = Ledger(state_folder(vault))
    row = named_row(ledger, request_id)
    decision = Decision(behaviour="deny", at=wire_time(utc_now()), surface="terminal", message=message)
    done = ledger.decide(row.id, row.digest, decision, None)
    if isinstance(done, Refused):
        refuse(ctx, done)
    click.echo(printable(f"Denied {row.id[:8]}"))
