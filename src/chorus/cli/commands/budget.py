"""`chorus budget`: limits for runs, conversations, workspaces and days."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from chorus.cli.vault_ids import vault_option

if TYPE_CHECKING:
    from chorus.steer.approvals.budgets.signed_budgets import SignedBudgets
    from chorus.steer.approvals.trust import Approvers


@click.group()
def budget() -> None:
    """Limit what each run, conversation, workspace or day may use.

    At 80 % of a limit you are told. At 100 %, a run of Chorus is interrupted, then stopped; of other clients you are
    told. Without `chorus serve`, a run counts only what it used itself. Changing limits needs an approver.
    """


@budget.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@vault_option
@click.pass_context
def list_(ctx: click.Context, *, as_json: bool, vault: str | None) -> None:
    """List the budgets and the invalid entries of the file.

    The exit code is 1 if there are invalid entries.
    """
    from chorus.cli.deciding import state_folder
    from chorus.cli.output import print_json, print_table, say
    from chorus.cli.table import Column
    from chorus.core.budgets.budget_text import limit_text

    found, known, trouble = _load(state_folder(vault))
    names = {each.id: each.name for each in known.ever.values()}
    if as_json:
        print_json(
            {
                "budgets": [
                    {
                        "id": each.budget.id,
                        "text": each.budget.text,
                        "scope": each.budget.scope,
                        "workspace": each.budget.workspace,
                        "only": each.budget.only,
                        "limits": each.budget.limits,
                        "by": names.get(each.by),
                        "at": each.at,
                        "only_restricts": each.budget.only_restricts,
                    }
                    for each in found.budgets
                ],
                "rejected": [{"line": each.line, "reason": each.reason} for each in found.rejected],
                "trouble": trouble,
            }
        )
    else:
        rows = [
            (
                each.budget.id,
                _whom(each.budget.scope, each.budget.workspace, each.budget.only),
                " ".join(f"{name}:{limit_text(limit)}" for name, limit in each.budget.limits.items()),
                names.get(each.by, "?") + (" (no approver now)" if each.budget.only_restricts else ""),
                each.at[:10],
            )
            for each in found.budgets
        ]
        columns = (
            "Id",
            Column("For each", min_width=14),
            Column("Limits", min_width=24, preferred_width=40),
            Column("By", drop_rank=2, min_width=8),
            Column("Since", drop_rank=3),
        )
        print_table("Budgets", columns, rows)
        refused = [(str(each.line), each.reason) for each in found.rejected]
        print_table("Invalid entries", ["Line", Column("Reason", min_width=24)], refused)
        if trouble:
            say(f"The file of the budgets is not as Chorus left it: {trouble}.")
        if not found.budgets:
            say("There are no budgets. `chorus budget set run money:5` limits each run to five dollars.")
    if found.rejected or trouble:
        ctx.exit(1)


@budget.command("set")
@click.argument("words", metavar="SCOPE LIMIT…", nargs=-1, required=True)
@vault_option
def set_(words: tuple[str, ...], *, vault: str | None) -> None:
    """Set limits for each run, conversation, workspace or day. Needs the passphrase of an approver.

    SCOPE is `run`, `conversation`, `workspace` or `day`. A LIMIT is money:DOLLARS, tokens:N (20k, 2M), turns:N,
    minutes:N, errors:N (in a row) or loops:N (equal failures of one call). With workspace:NAME, it applies in one
    workspace. With only:ID, it is an exception for one run, conversation, workspace or day, and a limit may be `none`.
    A new budget replaces one for the same things, also for runs that are going on.
    """
    from chorus.cli import passphrases
    from chorus.cli.deciding import state_folder
    from chorus.cli.output import printable
    from chorus.core.budgets.budget_text import read_budget

    passphrases.refuse_inside_a_run("Setting a budget")
    passphrases.refuse_without_a_terminal("Setting a budget")
    made = read_budget(" ".join(words))
    _change(state_folder(vault), "set", made.id, made.text, "Setting a budget")
    click.echo(printable(f"{made.id} applies now: {made.text}"))


@budget.command("remove")
@click.argument("name", metavar="ID")
@vault_option
def remove(name: str, *, vault: str | None) -> None:
    """Remove the budget whose id begins with ID. Needs the passphrase of an approver."""
    from chorus.cli import passphrases
    from chorus.cli.deciding import state_folder
    from chorus.cli.output import printable
    from chorus.errors import ChorusError

    passphrases.refuse_inside_a_run("Removing a budget")
    passphrases.refuse_without_a_terminal("Removing a budget")
    state = state_folder(vault)
    found, _, _ = _load(state)
    meant = {each.id: each for each in found.in_force if each.id.startswith(name.strip().lower())}
    if len(meant) != 1:
        count = "several budgets" if meant else "no budget"
        raise ChorusError(f"{name}: matches {count}; `chorus budget list` shows their ids")
    (gone,) = meant.values()
    _change(state, "remove", gone.id, "", "Removing a budget")
    click.echo(printable(f"removed: {gone.text}"))


def _whom(scope: str, workspace: str | None, only: str | None) -> str:
    whom = f"{scope} {only}" if only else scope
    return f"{whom} in {workspace}" if workspace else whom


def _load(state: Path) -> "tuple[SignedBudgets, Approvers, str | None]":
    """Return the budgets, the approvers, and what is wrong with the file of the budgets."""
    from chorus.steer.approvals import approvers
    from chorus.steer.approvals.budgets.budgets_file import BudgetsFile

    known = approvers.load(state)
    file = BudgetsFile(state)
    return file.load(known), known, file.tampering


def _change(state: Path, action: Literal["set", "remove"], budget_id: str, text: str, what: str) -> None:
    """Append a change of the budgets, signed with the passphrase of an approver."""
    from chorus.cli.signed_changes import signed_with_passphrase
    from chorus.steer.approvals import approvers
    from chorus.steer.approvals.budgets.budgets_file import BudgetsFile
    from chorus.steer.approvals.budgets.signed_budgets import BudgetChange

    known = approvers.load(state)
    make = signed_with_passphrase(BudgetChange, known, what, action=action, name=budget_id, text=text)
    BudgetsFile(state).append(known, make)
