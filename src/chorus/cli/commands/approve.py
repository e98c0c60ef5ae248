"""`chorus approve`: allow a request as an approver."""

import sys
from pathlib import Path

import click

from chorus.cli.vault_ids import vault_option

_LONGEST_BYTES = 8 << 20


@click.command()
@click.argument("request_id", metavar="ID")
@click.option("--input", "edited", metavar="FILE", help="Use this input (JSON) instead; - for standard input.")
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
    """Approve the request ID. Shows the card, then asks for the passphrase of an approver, which signs the approval.

    Needs a person at a terminal, and is refused inside a supervised run. The exit code is 1 if the approval came too
    late: the request was answered by somebody else, expired, withdrawn or changed. The approval is sent to the client,
    and its effect is printed as soon as it is known.
    """
    from chorus.cli import deciding
    from chorus.steer.approvals.lifecycle import Refused

    state = deciding.state_folder(vault)
    ledger = deciding.current_ledger(state)
    row = deciding.find_request(ledger, request_id)
    text = None if edited is None else _read(edited)
    done, name = deciding.approve(ledger, state, row, text=text, suggestions=[each - 1 for each in suggestions])
    if isinstance(done, Refused):
        deciding.refuse(ctx, done)
    deciding.report_effect(ctx, ledger, done, f"Approved {row.id[:8]} as {name}")


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
