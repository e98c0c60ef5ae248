"""The budgets of a file: a list of changes that approvers signed. Pure.

Every entry is signed over its content and the line before it. What somebody who is no longer an approver set can only
restrict: it raises no limit, replaces none and removes none.
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

from msgspec import Struct, structs

from chorus.core.budgets.budget import Budget
from chorus.core.budgets.budget_text import read_budget
from chorus.errors import ChorusError
from chorus.steer.approvals.signed_text import TextChange, signature_objection
from chorus.steer.approvals.trust import Approvers, Listed, Rejected

MAX_BUDGETS = 500


class BudgetChange(TextChange, frozen=True, kw_only=True):
    """An entry of the file: a budget is set, in place of one with the same id, or removed."""

    kind: ClassVar[str] = "budget"
    action: Literal["set", "remove"]


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


def fold_budgets(
    listed: Sequence[Listed[BudgetChange]], approvers: Approvers, flaws: Sequence[Rejected] = ()
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


def budget_objection(listed: Listed[BudgetChange], known: dict[str, SignedBudget], approvers: Approvers) -> str | None:
    """Returns why an entry is not valid; None if it is."""
    change = listed.change
    reason = signature_objection(listed, approvers)
    if reason is not None:
        return reason
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
