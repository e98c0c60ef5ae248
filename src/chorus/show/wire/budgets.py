"""Budgets: their list, how much of each is used now, and signed changes."""

from typing import Literal

from chorus.core.budgets.budget import Measure, Scope
from chorus.core.budgets.judging import BudgetState
from chorus.show.wire.base import Wire


class BudgetUse(Wire, frozen=True):
    """How much of one limit of a budget is used."""

    scope: Scope
    measure: Measure
    state: BudgetState
    words: str
    """Such as `$4.10 of $5.00 for this run`."""
    share: float
    """1 means that all of it is used."""


class BudgetAmount(Wire, frozen=True):
    """What one run, conversation, workspace or day has used of a budget."""

    label: str
    """The title of the conversation, or the name of the workspace; empty for a whole day."""
    conversation: str | None
    """The name of the conversation; null if the amount is about more than one."""
    use: BudgetUse


class BudgetShown(Wire, frozen=True):
    """A budget of the list."""

    id: str
    text: str
    by: str | None
    """The name of the approver who signed it."""
    at: str
    only_restricts: bool
    """Whether it was signed by somebody who is no longer an approver: it still limits, and makes no exceptions."""
    amounts: tuple[BudgetAmount, ...]
    """Where it counts now, the one that is nearest to its end first."""
    more: int
    """How many further amounts there are."""


class Budgets(Wire, frozen=True):
    """The budgets, and what is wrong with their file."""

    budgets: tuple[BudgetShown, ...]
    rejected: tuple[str, ...]
    """Entries that have no effect, each with the reason."""
    trouble: str | None
    """What is wrong with the whole file; null if nothing is."""
    head: str
    """The digest of the last line of the file. A change must contain it."""


class BudgetAsked(Wire, frozen=True):
    """A budget to try."""

    text: str


class BudgetTest(Wire, frozen=True):
    """What a budget would mean now. Nothing is set."""

    id: str
    text: str
    """The budget in the form that is signed and stored."""
    replaces: str | None
    """The text of the budget for the same things, which it would replace."""
    amounts: tuple[BudgetAmount, ...]
    more: int


class BudgetChangeAsked(Wire, frozen=True):
    """A signed change of the budgets: one is set or removed."""

    action: Literal["set", "remove"]
    id: str
    text: str
    at: str
    by: str
    signature: str
