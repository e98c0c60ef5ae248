"""A budget: how much each run, conversation, workspace or day may use."""

import hashlib
from typing import Literal, get_args

from msgspec import Struct

Scope = Literal["run", "conversation", "workspace", "day"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
Measure = Literal["money", "tokens", "turns", "minutes", "errors", "loops"]
"""Dollars, all tokens, ended turns, minutes, errors in a row, equal failures of one call."""
MEASURES: tuple[Measure, ...] = get_args(Measure)
OF_ONE_CONVERSATION: tuple[Measure, ...] = ("errors", "loops")
"""These are counted in one conversation, so a workspace or a day cannot have a limit of them."""


class Budget(Struct, frozen=True, kw_only=True):
    """Limits for each thing of a scope, or only for those that its conditions name."""

    text: str
    """The budget in the words of `budget_text.py`, in the one form that is stored and signed."""
    scope: Scope
    limits: dict[Measure, float | None]
    """None: no limit, which is an exception from a wider budget."""
    workspace: str | None = None
    """The id or the name of a workspace. A budget of days counts only what was used there."""
    only: str | None = None
    """The id of one run or conversation, one workspace, or one day: the budget is an exception for it."""
    only_restricts: bool = False
    """Whether it takes no part in the choice of the most specific budget: its limits apply in addition."""

    @property
    def id(self) -> str:
        """The same for all budgets for the same things: a new one replaces the one before it."""
        return budget_id(self.scope, self.workspace, self.only)

    @property
    def specificity(self) -> int:
        """Of several budgets that limit the same, the most specific one counts."""
        return 2 * (self.only is not None) + (self.workspace is not None)


def budget_id(scope: str, workspace: str | None, only: str | None) -> str:
    """Returns 12 hex digits."""
    key = "\0".join((scope, workspace or "", only or ""))
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:12]
