"""What `approvals`, `approve` and `deny` share: the ledger, a request by its id, a card on the terminal."""

from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from chorus import config
from chorus.approvals.cards import Card
from chorus.approvals.ledger import Ledger
from chorus.approvals.machine import Refused
from chorus.approvals.model import Row
from chorus.cli import passphrases
from chorus.cli.output import printable
from chorus.errors import ChorusError

if TYPE_CHECKING:
    from rich.console import Console

STATE = "state"
TOO_LATE = 1
"""Exit code for an answer that came too late, or to something else than was seen."""
SHORT_ID = 8
_FEWEST_DIGITS = 4
_MOST_NAMED = 5


def state_folder(vault: str | None) -> Path:
    """Where the ledger of this vault lies."""
    return config.vault_for(vault, Path.cwd()).absolute() / STATE


def named_row(ledger: Ledger, name: str) -> Row:
    """The request that a person means by its id, or by enough of its beginning; `ChorusError` when that is not one."""
    wanted = name.strip().lower()
    if len(wanted) < _FEWEST_DIGITS or not all(char in "0123456789abcdef" for char in wanted):
        raise ChorusError(f"{name}: no id; `chorus approvals` lists them, and {_FEWEST_DIGITS} digits are enough")
    ids = ledger.find(wanted)
    if len(ids) > 1:
        more = ", …" if len(ids) > _MOST_NAMED else ""
        raise ChorusError(
            f"{name}: {len(ids)} requests begin so ({', '.join(ids[:_MOST_NAMED])}{more}); type more of it"
        )
    row = ledger.row(ids[0]) if ids else None
    if row is None:
        raise ChorusError(f"{name}: no such request; `chorus approvals --all` lists all")
    return row


def refuse(ctx: click.Context, refused: Refused) -> NoReturn:
    """Say why nothing happened, and leave: with `TOO_LATE`, or by a `ChorusError` for what was never allowed."""
    if refused.kind in ("unknown", "unfit", "not_allowed"):
        raise ChorusError(refused.message)
    click.echo(f"chorus: {printable(refused.message)}", err=True)
    ctx.exit(TOO_LATE)


def draw_at_terminal(card: Card) -> None:
    """The card where the passphrase will be asked for, wherever standard output leads."""
    from rich.console import Console

    with passphrases.TERMINAL.open("w", encoding="utf-8", errors="backslashreplace") as terminal:
        draw(card, Console(file=terminal, highlight=False))


def draw(card: Card, console: "Console | None" = None) -> None:
    """The card, whole: nothing of a request is cut where it is decided."""
    from rich.console import Console, Group
    from rich.text import Text

    from chorus.views.terminal.blocks import draw as drawn
    from chorus.views.terminal.frame import Gate, Gutter
    from chorus.views.terminal.look import Look

    console = console or Console(highlight=False)
    look = Look(is_full=True)
    parts = [Text.assemble((card.id[:SHORT_ID], "bold"), "  ", (card.title, "bold"))]
    lines = [Text(f"{name}: {text}", "dim") for name, text in card.facts]
    shown = [part for block in card.blocks if (part := drawn(block, look)) is not None]
    warned = [Text(f"! {hint.text}", "yellow") for hint in card.hints]
    offered = [
        Text(f"--suggestion {offer.index + 1}: {offer.words}", "yellow" if offer.is_wide else "cyan")
        for offer in card.offers
    ]
    console.print(Gate(Gutter(Group(*parts, *lines, *shown, *warned, *offered), "│ ", style="dim")), end="")
