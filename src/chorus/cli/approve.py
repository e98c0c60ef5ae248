"""`chorus approve`: let an agent do what it asked for, as an approver."""

import sys
from pathlib import Path

import click

from chorus.cli.vault_ids import vault_option

_LONGEST_BYTES = 8 << 20


@click.command()
@click.argument("request_id", metavar="ID")
@click.option(
    "--input", "edited", metavar="FILE", help="Let it run with this input (JSON) instead; - reads it from stdin."
)
@click.option(
    "--suggestion",
    "suggestions",
    metavar="N",
    multiple=True,
    type=click.IntRange(min=1),
    help="Also take the client's suggestion N; may be repeated.",
)
@vault_option
@click.pass_context
def approve(
    ctx: click.Context, request_id: str, *, edited: str | None, suggestions: tuple[int, ...], vault: str | None
) -> None:
    """Approve the request ID: the card is shown, then the passphrase of an approver is asked for and signs it.

    Needs a terminal with a person at it, and is refused from inside a supervised run. The exit code is 1 when it came
    too late: answered by somebody else, expired, withdrawn or changed.
    """
    from msgspec import structs

    from chorus.approvals import approvers, cards
    from chorus.approvals.ledger import Ledger, utc_now
    from chorus.approvals.machine import Refused
    from chorus.approvals.model import Decision, unfit_decision
    from chorus.approvals.signing import signed_bytes
    from chorus.approvals.trust import Trust
    from chorus.cli import passphrases
    from chorus.cli.deciding import draw_at_terminal, named_row, refuse, state_folder
    from chorus.cli.output import printable
    from chorus.errors import ChorusError
    from chorus.records.times import wire_time

    passphrases.refuse_inside_a_run("Approving")
    folder = state_folder(vault)
    ledger = Ledger(folder)
    row = named_row(ledger, request_id)
    found = approvers.load(folder)
    if not found.valid:
        raise ChorusError("approving needs an approver: `chorus approver add` makes one, before the run is started")
    passphrases.refuse_without_a_terminal("Approving")
    text = None if edited is None else _read(edited)
    chosen, by = [each - 1 for each in suggestions], ""
    draft = Decision(behaviour="allow", at=wire_time(utc_now()), surface="terminal", input=text, suggestions=chosen)
    if row.is_pending and (reason := unfit_decision(row.request, draft)) is not None:
        raise ChorusError(f"{request_id}: {reason}")
    if row.is_pending:
        draw_at_terminal(cards.card_of(row if text is None else cards.edited(row, text)))
        if text is not None:
            click.echo("This is the input of your own, not what was asked for.", err=True)
        approver, signer = passphrases.unlocked(found, "Approving")
        draft = structs.replace(draft, approver=approver.id)
        draft = structs.replace(draft, signature=signer.sign(signed_bytes(row.id, row.digest, draft)))
        by = f" as {approver.name}"
    done = ledger.decide(row.id, row.digest, draft, Trust(found))
    if isinstance(done, Refused):
        refuse(ctx, done)
    click.echo(printable(f"Approved {row.id[:8]}{by}"))


def _read(name: str) -> str:
    from chorus.errors import ChorusError, SourceUnreadable

    try:
        if name == "-":
            data = sys.stdin.buffer.read(_LONGEST_BYTES + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(_LONGEST_BYTES + 1)
        return data.decode()
    except OSError as error:
        raise SourceUnreadable(f"{name}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ChorusError(f"{name}: is not UTF-8") from error
