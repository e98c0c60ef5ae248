"""Requests at the terminal: found by their ids, shown as cards, and decided.

`approve` and `deny` here are the only two ways in which the command line decides, whichever command asked the person.
"""

import contextlib
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click
from msgspec import structs

from chorus.base import config
from chorus.cli import passphrases
from chorus.cli.askers import named_card
from chorus.cli.output import printable
from chorus.core.records.times import wire_time
from chorus.errors import ChorusError, VaultUnwritable
from chorus.keep.sources.discover import config_folder
from chorus.show.recorder.outcomes import Outcomes
from chorus.steer.approvals import approvers, cards
from chorus.steer.approvals.cards import Card
from chorus.steer.approvals.ledger import Ledger, utc_now
from chorus.steer.approvals.lifecycle import Refused
from chorus.steer.approvals.model import Decision, Row, State, unfit_decision
from chorus.steer.approvals.offers import offers
from chorus.steer.approvals.signing import signed_bytes
from chorus.steer.approvals.trust import Trust
from chorus.steer.runs.approvals import trusts_nobody

if TYPE_CHECKING:
    from rich.console import Console

TOO_LATE = 1
"""Exit code for an answer that came too late, or to something else than was seen."""
SHORT_ID = 8
_SURFACE = "terminal"
_FEWEST_DIGITS = 4
_MAX_NAMED = 5
_EFFECT_S = 1.5
_LOOK_S = 0.05


def state_folder(vault: str | None) -> Path:
    """Where the ledger of this vault lies."""
    return config.vault_for(vault, Path.cwd()).absolute() / config.STATE


def looked_at(state: Path) -> Ledger:
    """The ledger, brought up to date first: what nobody waits for is ended, what really happened is written down."""
    ledger = Ledger(state)
    # Where it cannot be written it is shown as it is.
    with contextlib.suppress(VaultUnwritable):
        ledger.end_deserted()
        Outcomes(ledger, [config_folder()]).look()
    return ledger


def came_of(ledger: Ledger, row: Row) -> Row:
    """The row as soon as it is known what came of a decision, or as it stands after a moment."""
    until = time.monotonic() + _EFFECT_S
    while row.is_open and time.monotonic() < until and ledger.is_asker_alive(row):
        time.sleep(_LOOK_S)
        row = ledger.row(row.id) or row
    return row


def tell_effect(ctx: click.Context, ledger: Ledger, row: Row, words: str) -> None:
    """Say that something was decided and what came of it; exits with `TOO_LATE` where somebody else was faster."""
    row = came_of(ledger, row)
    if row.state is State.ANSWERED:
        click.echo(f"chorus: too late: {printable(row.note or '')}", err=True)
        ctx.exit(TOO_LATE)
    sent = "sent; `chorus approvals --all` shows what came of it"
    click.echo(printable(f"{words}: {'it took effect' if row.effect == 'took_effect' else sent}"))


def named_row(ledger: Ledger, name: str) -> Row:
    """The request that a person means by its id, or by enough of its beginning; `ChorusError` when that is not one."""
    wanted = name.strip().lower()
    if len(wanted) < _FEWEST_DIGITS or not all(char in "0123456789abcdef" for char in wanted):
        raise ChorusError(f"{name}: no id; `chorus approvals` lists them, and {_FEWEST_DIGITS} digits are enough")
    ids = ledger.find(wanted)
    if len(ids) > 1:
        more = ", …" if len(ids) > _MAX_NAMED else ""
        raise ChorusError(
            f"{name}: {len(ids)} requests begin so ({', '.join(ids[:_MAX_NAMED])}{more}); type more of it"
        )
    row = ledger.row(ids[0]) if ids else None
    if row is None:
        raise ChorusError(f"{name}: no such request; `chorus approvals --all` lists all")
    return row


def approve(
    ledger: Ledger,
    state: Path,
    row: Row,
    *,
    text: str | None = None,
    suggestions: Sequence[int] = (),
    is_seen: bool = False,
) -> tuple[Row | Refused, str]:
    """Allow a request, with the input `text` of the person's own if there is one: how it stands then, and who signed.

    What is signed is shown first, unless `is_seen` says that the person has this very card before them; then an
    approver's passphrase is asked for at the terminal. `ChorusError` inside a run, without an approver, for a run that
    began without one, or for what makes no sense: then nothing was decided.
    """
    passphrases.refuse_inside_a_run("Approving")
    found = approvers.load(state)
    if not found.valid:
        raise ChorusError("approving needs an approver: `chorus approver add` makes one, before the run is started")
    if trusts_nobody(config.home_of(state.parent), row.request, found):
        raise ChorusError(
            f"{row.id[:SHORT_ID]}: the run began before there was an approver, so nobody can approve what it asks; "
            "`chorus stop` and `chorus resume` begin it anew, or `chorus deny`"
        )
    passphrases.refuse_without_a_terminal("Approving")
    draft = Decision(
        behaviour="allow", at=wire_time(utc_now()), surface=_SURFACE, input=text, suggestions=list(suggestions)
    )
    name = ""
    if row.is_pending:
        if (reason := unfit_decision(row.request, draft)) is not None:
            raise ChorusError(f"{row.id[:SHORT_ID]}: {reason}")
        if not is_seen:
            draw_at_terminal(named_card(state, row if text is None else cards.edited(row, text)))
        if text is not None:
            click.echo("This is the input of your own, not what was asked for.", err=True)
        for offer in offers(row.request.suggestions):
            if offer.index in suggestions:
                click.echo(f"With it, suggestion {offer.index + 1}: {offer.words}", err=True)
        approver, signer = passphrases.unlocked(found, "Approving")
        draft = structs.replace(draft, approver=approver.id)
        draft = structs.replace(draft, signature=signer.sign(signed_bytes(row.id, row.digest, draft)))
        name = approver.name
    return ledger.decide(row.id, row.digest, draft, Trust(found)), name


def deny(ledger: Ledger, row: Row, message: str) -> Row | Refused:
    """Say no, and why; anybody may."""
    decision = Decision(behaviour="deny", at=wire_time(utc_now()), surface=_SURFACE, message=message)
    return ledger.decide(row.id, row.digest, decision, None)


def outcome_of(row: Row, state: Path) -> str:
    """What became of a request, and by whose doing."""
    decision = row.decision
    if decision is None or row.state is State.ANSWERED:
        if row.state is State.ANSWERED and row.note:
            return row.note
        return f"{row.state}: {row.note}" if row.note else str(row.state)
    known = approvers.load(state).ever.get(decision.approver or "")
    sent = "; sent, and not known whether it took effect" if row.effect == "sent" else ""
    return f"{row.state}{f' by {known.name}' if known else ''}, from the {decision.surface}{sent}"


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

    from chorus.core.views.terminal.blocks import draw as drawn
    from chorus.core.views.terminal.frame import Gate, Gutter
    from chorus.core.views.terminal.look import Look

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
