"""`chorus approvals`: pending requests, decided requests, and a check of the files."""

import signal
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chorus.cli.output import counted, encoded, print_json, print_table, printable, remark, say
from chorus.cli.table import Column
from chorus.cli.vault_ids import vault_option

if TYPE_CHECKING:
    from chorus.cli.askers import Asker
    from chorus.steer.approvals.ledger import Check, Ledger
    from chorus.steer.approvals.model import Row

NEEDS_ATTENTION = 1
_MOST = 100
_POLL_S = 0.05
_SWEEP_EVERY = 10
_TITLE_CHARS = 100
_HOW_CHARS = 20
_COLUMNS = (
    "Id",
    "State",
    Column("Asked", drop_rank=2, is_right=True),
    Column("How", drop_rank=1, min_width=12),
    Column("Workspace", drop_rank=4, min_width=12),
    Column("Conversation", drop_rank=3, min_width=16),
    Column("Request", min_width=24),
)
_TAMPERING = Column("What was done", min_width=24)
_FLAWS = ("Line", Column("Reason", min_width=24))


@click.command()
@click.option("--watch", is_flag=True, help="Keep running, and show requests and decisions as they happen.")
@click.option("--all", "is_all", is_flag=True, help=f"Also show settled requests: the last {_MOST}.")
@click.option("--check", "is_check", is_flag=True, help="Check every line and every signature of the files.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; with --watch one object per line.")
@vault_option
@click.pass_context
def approvals(
    ctx: click.Context, *, watch: bool, is_all: bool, is_check: bool, as_json: bool, vault: str | None
) -> None:
    """Show the requests of agents that nobody has decided yet.

    `chorus approve ID` and `chorus deny ID` decide a request. With --check, the exit code is 1 if a file was changed by
    hand or damaged, or if a run was tampered with.
    """
    from chorus.cli.deciding import current_ledger, state_folder
    from chorus.steer.approvals.ledger import Ledger

    state = state_folder(vault)
    ledger = Ledger(state) if is_check else current_ledger(state)
    if is_check:
        from chorus.base import config
        from chorus.steer.runs.run_folders import Runs

        tampered = [(run.id, run.tampering) for run in Runs(config.home(vault)).tampered()]
        _print_check(ctx, ledger.check(), tampered, as_json=as_json)
    elif watch:
        _watch(ledger, state, as_json=as_json)
    else:
        rows = ledger.rows(limit=_MOST) if is_all else ledger.pending()
        _print(ledger, state, rows, as_json=as_json, is_all=is_all)


def _print(ledger: "Ledger", state: Path, rows: "list[Row]", *, as_json: bool, is_all: bool) -> None:
    if as_json:
        print_json([as_dict(row) for row in rows])
    elif is_all:
        from chorus.cli.askers import askers_of

        now, askers = datetime.now(UTC), askers_of(state, rows)
        print_table("Requests", _COLUMNS, [_cells(row, askers[row.id], now) for row in rows])
    else:
        for row in rows:
            _show(ledger, state, row)
    if not rows and not as_json:
        click.echo("There are no requests yet." if is_all else "No requests are pending.")


def _show(ledger: "Ledger", state: Path, row: "Row") -> None:
    from chorus.cli.askers import named_card
    from chorus.cli.deciding import draw

    draw(named_card(state, row))
    if not ledger.is_asker_alive(row):
        click.echo("  the asking process has ended: this can no longer be approved\n")
        return
    click.echo(f"  chorus approve {row.id[:8]}    chorus deny {row.id[:8]} -m MESSAGE\n")


def _watch(ledger: "Ledger", state: Path, *, as_json: bool) -> None:
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    rows, mark = ledger.changes_since()
    _print_changes(ledger, state, [row for row in rows if row.is_pending], as_json=as_json)
    if not as_json:
        remark("watching; Ctrl-C ends it")
    turn = 0
    while not stop.wait(_POLL_S):
        turn += 1
        if turn % _SWEEP_EVERY == 0:
            ledger.expire_due()
            ledger.invalidate_gone()
        rows, mark = ledger.changes_since(mark)
        _print_changes(ledger, state, rows, as_json=as_json)


def _print_changes(ledger: "Ledger", state: Path, rows: "list[Row]", *, as_json: bool) -> None:
    from chorus.cli.askers import askers_of
    from chorus.core.views.safe import safe_json

    askers = askers_of(state, rows) if rows and not as_json else {}
    for row in rows:
        if as_json:
            sys.stdout.buffer.write(safe_json(encoded(as_dict(row)).decode()).encode() + b"\n")
            sys.stdout.buffer.flush()
        elif row.is_pending:
            _show(ledger, state, row)
        else:
            click.echo("  ".join(map(printable, _parts(row, askers[row.id]))))


def as_dict(row: "Row") -> dict[str, Any]:
    """Return the documented form of a request in `--json`."""
    import msgspec

    return msgspec.to_builtins(row)


def _cells(row: "Row", asker: "Asker", now: datetime) -> tuple[str, ...]:
    from chorus.cli.age import age
    from chorus.core.views.safe import safe_line

    how = safe_line(row.note or _surface(row))
    asked = age(row.request.created_at, now)
    return row.id[:8], _state(row), asked, how, asker.workspace, asker.title, _title(row)


def _parts(row: "Row", asker: "Asker") -> tuple[str, ...]:
    """Return the parts of a line for --watch, with the time and a longer note than in the table."""
    from chorus.cli.one_line import shortened

    note = f" ({shortened(row.note, _TITLE_CHARS)})" if row.note else ""
    how = shortened(_surface(row), _HOW_CHARS)
    place = " · ".join(filter(None, asker))
    return row.id[:8], f"{_state(row)}{note}", row.request.created_at, how, place, _title(row)


def _state(row: "Row") -> str:
    """Return the state, with a mark for a decision that is not known to have taken effect."""
    is_shown = row.effect in ("sent", "failed") and row.state != "answered"
    return f"{row.state}, {row.effect}" if is_shown else str(row.state)


def _surface(row: "Row") -> str:
    return (row.decision.rule_names or row.decision.surface) if row.decision else ""


def _title(row: "Row") -> str:
    from chorus.cli.one_line import shortened
    from chorus.steer.approvals.cards import card_of

    return shortened(f"{card_of(row).title} {_beginning(row)}", _TITLE_CHARS)


def _beginning(row: "Row") -> str:
    """Return the first text in the input, such as the command or the path."""
    from chorus.steer.approvals.inputs import fields

    return next((value for value in fields(row.request.input).values() if isinstance(value, str)), "")


def _print_check(ctx: click.Context, found: "Check", runs: list[tuple[str, str]], *, as_json: bool) -> None:
    is_well = not (found.flaws or found.unsigned or found.rejected or found.tampered or runs)
    if as_json:
        print_json(
            {
                "ok": is_well,
                "rows": found.rows,
                "pending": found.pending,
                "flaws": [{"line": each.line, "reason": each.reason} for each in found.flaws],
                "unsigned": list(found.unsigned),
                "rejected_approvers": [{"line": each.line, "reason": each.reason} for each in found.rejected],
                "tampered_requests": [{"id": name, "reason": words} for name, words in found.tampered],
                "tampered_runs": [{"run": name, "reason": words} for name, words in runs],
            }
        )
    else:
        print_table("Errors in the ledger", _FLAWS, [(str(e.line), e.reason) for e in found.flaws])
        print_table("Approved without a valid signature", ["Id"], [(each,) for each in found.unsigned])
        print_table("Errors in the list of approvers", _FLAWS, [(str(e.line), e.reason) for e in found.rejected])
        odd = [*(("request", name, words) for name, words in found.tampered), *(("run", *each) for each in runs)]
        print_table("TAMPERING", ["What", "Id", _TAMPERING], odd)
        verdict = "something was changed by hand or damaged; these entries are ignored."
        if odd:
            verdict = "somebody tampered with runs; nobody approved what they did."
        verdict = "everything is as it was written." if is_well else verdict
        say(f"{counted(found.rows, 'request')}, {found.pending} pending: {verdict}")
    if not is_well:
        ctx.exit(NEEDS_ATTENTION)
