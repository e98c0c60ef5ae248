"""Requests at the terminal: find them by id, show them as cards, and decide them.

Every command decides requests with `approve` and `deny` of this module, and in no other way.
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
from chorus.cli.output import printable, remark
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
"""Exit code of a decision that came too late, or for a request that has changed since it was shown."""
SHORT_ID = 8
_SURFACE = "terminal"
_FEWEST_DIGITS = 4
_MAX_NAMED = 5
_EFFECT_S = 1.5
_LOOK_S = 0.05


def state_folder(vault: str | None) -> Path:
    """Return the folder that holds the permission ledger of this vault."""
    return config.vault_for(vault, Path.cwd()).absolute() / config.STATE


def current_ledger(state: Path) -> Ledger:
    """Return the ledger after ending the requests that nobody waits for and writing down what took effect."""
    ledger = Ledger(state)
    # A ledger that cannot be written is shown as it is.
    with contextlib.suppress(VaultUnwritable):
        ledger.end_deserted()
        Outcomes(ledger, [config_folder()]).look()
    return ledger


def wait_for_effect(ledger: Ledger, row: Row) -> Row:
    """Return the row as soon as the effect of its decision is known, or its state after a short wait."""
    until = time.monotonic() + _EFFECT_S
    while row.is_open and time.monotonic() < until and ledger.is_asker_alive(row):
        time.sleep(_LOOK_S)
        row = ledger.row(row.id) or row
    return row


def report_effect(ctx: click.Context, ledger: Ledger, row: Row, words: str) -> None:
    """Print the decision and its effect. Exits with `TOO_LATE` if somebody else decided first."""
    row = wait_for_effect(ledger, row)
    if row.state is State.ANSWERED:
        remark(f"chorus: too late: {row.note or ''}")
        ctx.exit(TOO_LATE)
    if row.effect == "failed":
        remark(f"chorus: it failed: {row.note or ''}")
        ctx.exit(TOO_LATE)
    sent = "sent; `chorus approvals --all` shows whether it took effect"
    click.echo(printable(f"{words}: {'it took effect' if row.effect == 'took_effect' else sent}"))


def find_request(ledger: Ledger, name: str) -> Row:
    """Return the request whose id begins with `name`. Raises `ChorusError` unless there is exactly one."""
    wanted = name.strip().lower()
    if len(wanted) < _FEWEST_DIGITS or not all(char in "0123456789abcdef" for char in wanted):
        raise ChorusError(
            f"{name}: not an id; `chorus approvals` lists the ids, and {_FEWEST_DIGITS} digits are enough"
        )
    ids = ledger.find(wanted)
    if len(ids) > 1:
        more = ", …" if len(ids) > _MAX_NAMED else ""
        raise ChorusError(
            f"{name}: {len(ids)} ids begin with this ({', '.join(ids[:_MAX_NAMED])}{more}); type more digits"
        )
    row = ledger.row(ids[0]) if ids else None
    if row is None:
        raise ChorusError(f"{name}: no such request; `chorus approvals --all` lists all requests")
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
    """Allow a request and return its new row (or why it was refused) and the name of the approver who signed.

    `text` replaces the input of the request. The card is shown first, unless `is_seen` is true because the person
    sees this card already. Then the passphrase of an approver is asked for at the terminal.

    Raises `ChorusError` inside a run, without an approver, for a run that started without an approver, and for an
    invalid decision. Then nothing was decided.
    """
    passphrases.refuse_inside_a_run("Approving")
    found = approvers.load(state)
    if not found.valid:
        raise ChorusError("approving needs an approver: `chorus approver add` creates one, before the run is started")
    if trusts_nobody(config.home_of(state.parent), row.request, found):
        raise ChorusError(
            f"{row.id[:SHORT_ID]}: the run started before there was an approver, so nobody can approve its requests; "
            "use `chorus deny`, or start it again with `chorus stop` and `chorus resume`"
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
            remark("This is your own input, not the input of the request.")
        for offer in offers(row.request.suggestions):
            if offer.index in suggestions:
                remark(f"With it, suggestion {offer.index + 1}: {offer.words}")
        approver, signer = passphrases.unlocked(found, "Approving")
        draft = structs.replace(draft, approver=approver.id)
        draft = structs.replace(draft, signature=signer.sign(signed_bytes(row.id, row.digest, draft)))
        name = approver.name
    return ledger.decide(row.id, row.digest, draft, Trust(found)), name


def deny(ledger: Ledger, row: Row, message: str) -> Row | Refused:
    """Deny a request, with a message for the agent. This needs no approver."""
    decision = Decision(behaviour="deny", at=wire_time(utc_now()), surface=_SURFACE, message=message)
    return ledger.decide(row.id, row.digest, decision, None)


def outcome_of(row: Row, state: Path) -> str:
    """Return text that says what happened to a request, and who decided it."""
    decision = row.decision
    if decision is None or row.state is State.ANSWERED:
        if row.state is State.ANSWERED and row.note:
            return row.note
        return f"{row.state}: {row.note}" if row.note else str(row.state)
    known = approvers.load(state).ever.get(decision.approver or "")
    if decision.rules:
        texts = ", ".join(f"`{used.text}`" for used in decision.rules)
        return f"{row.state} by {decision.rule_names}: {texts}"
    sent = "; sent, but it is not known whether it took effect" if row.effect == "sent" else ""
    return f"{row.state}{f' by {known.name}' if known else ''}, from the {decision.surface}{sent}"


def refuse(ctx: click.Context, refused: Refused) -> NoReturn:
    """Report why nothing was decided, and exit with `TOO_LATE`; raise `ChorusError` if the decision was not valid."""
    if refused.kind in ("unknown", "unfit", "not_allowed"):
        raise ChorusError(refused.message)
    remark(f"chorus: {refused.message}")
    ctx.exit(TOO_LATE)


def draw_at_terminal(card: Card) -> None:
    """Draw the card on the terminal where the passphrase is asked for, even if standard output is redirected."""
    from rich.console import Console

    with passphrases.TERMINAL.open("w", encoding="utf-8", errors="backslashreplace") as terminal:
        draw(card, Console(file=terminal, highlight=False))


def draw(card: Card, console: "Console | None" = None) -> None:
    """Draw the whole card: nothing is cut where a person decides."""
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
