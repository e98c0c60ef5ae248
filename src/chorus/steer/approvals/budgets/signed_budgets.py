"""The budgets of a file: a list of changes that approvers signed. Pure.

Every entry is signed over its content and the line before it. What somebody who is no longer an approver set can only
restrict: it raises no limit, replaces none and removes none.
"""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct, structs

from chorus.core.budgets.budget import Budget
from chorus.core.budgets.budget_text import read_budget
from chorus.errors import ChorusError
from chorus.steer.approvals.signing import canonical, verify
from chorus.steer.approvals.trust import Approvers, Rejected

MAX_BUDGETS = 500


class BudgetChange(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """An entry of the file: a budget is set, in place of one with the same id, or removed."""

    action: Literal["set", "remove"]
    id: str
    at: str
    text: str = ""
    """The budget, in its one written form; empty if it is removed."""
    by: str
    """The approver who signed."""
    signature: str = ""


class ListedBudgetChange(Struct, frozen=True):
    """A change with its position in the file."""

    line: int
    prev: str
    follows: bool
    change: BudgetChange


class SignedBudget(Struct, frozen=True):
    """A budget of the list."""

    budget: Budget
    by: str
    """The id of the approver who signed it."""
    at: str


class SignedBudgets(Struct, frozen=True):
    """The content of a file: the current budgets, and invalid entries."""

    budgets: tuple[SignedBudget, ...] = ()
    rejected: tuple[Rejected, ...] = ()

    @property
    def in_force(self) -> tuple[Budget, ...]:
        return tuple(each.budget for each in self.budgets)


def budget_entry_bytes(change: BudgetChange, prev: str) -> bytes:
    """Returns the bytes to sign for a change of the budgets; `prev` is the digest of the line before."""
    return canonical(
        {
            "action": change.action,
            "at": change.at,
            "by": change.by,
            "id": change.id,
            "kind": "budget",
            "prev": prev,
            "text": change.text,
            "v": 1,
        }
    )


def fold_budgets(
    listed: Sequence[ListedBudgetChange], approvers: Approvers, flaws: Sequence[Rejected] = ()
) -> SignedBudgets:
    """Returns the budgets of a file."""
    current: dict[str, SignedBudget] = {}
    former: dict[str, SignedBudget] = {}
    rejected = list(flaws)
    for each in listed:
        change = each.change
        is_current = change.by in approvers.valid
        known = {**former, **current} if is_current else former
        reason = budget_objection(each, known, approvers)
        if reason is not None:
            rejected.append(Rejected(each.line, reason))
            continue
        former.pop(change.id, None)
        if is_current:
            current.pop(change.id, None)
        if change.action == "set":
            budget = structs.replace(read_budget(change.text), only_restricts=not is_current)
            (current if is_current else former)[change.id] = SignedBudget(budget, change.by, change.at)
    ordered = tuple(sorted(rejected, key=lambda one: one.line))
    return SignedBudgets((*current.values(), *former.values()), ordered)


def budget_objection(listed: ListedBudgetChange, known: dict[str, SignedBudget], approvers: Approvers) -> str | None:
    """Returns why an entry is not valid; None if it is."""
    change = listed.change
    signer = approvers.ever.get(change.by)
    if signer is None:
        return "no approver signed it"
    if not listed.follows:
        return "it does not follow the line before it"
    try:
        data = budget_entry_bytes(change, listed.prev)
    except UnicodeEncodeError:
        return "it holds half a character"
    if not verify(signer.key, data, change.signature):
        return "its signature does not hold"
    if change.action == "remove":
        return None if change.id in known else "there is no such budget to remove"
    if len(known) >= MAX_BUDGETS and change.id not in known:
        return f"there are {MAX_BUDGETS} budgets already"
    try:
        budget = read_budget(change.text)
    except ChorusError as error:
        return f"it is no budget: {error}"
    is_written = budget.text == change.text and budget.id == change.id
    return None if is_written else "it is not in the written form of a budget"
