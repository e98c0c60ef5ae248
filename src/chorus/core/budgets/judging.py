"""Compares what was used with the budgets. Pure."""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from msgspec import Struct

from chorus.core.budgets.budget import SCOPES, Budget, Measure, Scope
from chorus.core.views import figures
from chorus.core.views.counts import count

BudgetState = Literal["fine", "warning", "spent"]
WARNING_AT = 0.8
"""The share of a limit from which people are told."""


class Subject(Struct, frozen=True, kw_only=True):
    """One piece of work to which budgets may apply: a conversation now, with its run if Chorus runs it."""

    run: str | None
    session: str
    workspaces: tuple[str, ...]
    """The id and the name of its workspace."""
    day: str
    """Today, such as 2026-12-24."""

    def is_named(self, scope: Scope, name: str) -> bool:
        """Returns whether `name` names this run, conversation, workspace or day."""
        match scope:
            case "run":
                return name == self.run
            case "conversation":
                return name == self.session
            case "workspace":
                return name in self.workspaces
            case "day":
                return name == self.day


class Used(Struct, frozen=True, kw_only=True):
    """What was used, by measure."""

    amounts: dict[Measure, float]
    evidence: dict[Measure, tuple[str, ...]] = {}
    """Of errors and loops, the ids of the calls and messages that show them."""
    is_at_least: bool = False
    """Whether more money or tokens may have been used: a price or the end of a message is not known."""


class Use(Struct, frozen=True, kw_only=True):
    """How much of one limit is used."""

    scope: Scope
    workspace: str | None
    """The workspace whose days are counted; None for other budgets."""
    measure: Measure
    used: float
    limit: float
    budget: str
    """The id of the budget."""
    is_at_least: bool = False
    evidence: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        return self.used / self.limit

    @property
    def state(self) -> BudgetState:
        return "spent" if self.share >= 1 else "warning" if self.share >= WARNING_AT else "fine"

    @property
    def words(self) -> str:
        """Such as `$4.10 of $5.00 for this run`."""
        least = "≥" if self.is_at_least else ""
        return f"{least}{_amount(self.measure, self.used)} of {_limit(self.measure, self.limit)} for {self._whom}"

    @property
    def _whom(self) -> str:
        if self.scope == "day":
            return f"today in {self.workspace}" if self.workspace else "today"
        return f"this {self.scope}"


Meter = Callable[[Scope, str | None], Used]
"""Returns what was used in a scope; with a workspace, of a day in that workspace."""


def limits_for(budgets: Iterable[Budget], subject: Subject) -> list[tuple[Measure, Budget]]:
    """Returns the limits that apply: for each scope and measure that of the most specific budget, the lower of two."""
    chosen: dict[tuple[Scope, str | None, Measure], Budget] = {}
    applying = [budget for budget in budgets if _applies(budget, subject)]
    for budget in sorted(applying, key=lambda each: each.only_restricts):
        # What was used in one workspace is not what was used everywhere: both limits apply.
        counted = budget.workspace if budget.scope == "day" else None
        for measure, limit in budget.limits.items():
            key = budget.scope, counted, measure
            other = chosen.get(key)
            if other is None or _comes_before(budget, limit, other, other.limits[measure]):
                chosen[key] = budget
    ordered = sorted(chosen.items(), key=lambda item: SCOPES.index(item[0][0]))
    return [(measure, budget) for (_, _, measure), budget in ordered]


def uses(budgets: Sequence[Budget], subject: Subject, meter: Meter) -> tuple[Use, ...]:
    """Returns how much of each limit is used, the one that is nearest to its end first."""
    measured: dict[tuple[Scope, str | None], Used] = {}
    found: list[Use] = []
    for measure, budget in limits_for(budgets, subject):
        limit = budget.limits[measure]
        if limit is None:
            continue
        where = budget.workspace if budget.scope == "day" else None
        used = measured.get((budget.scope, where))
        if used is None:
            used = measured[budget.scope, where] = meter(budget.scope, where)
        found.append(
            Use(
                scope=budget.scope,
                workspace=where,
                measure=measure,
                used=used.amounts.get(measure, 0.0),
                limit=limit,
                budget=budget.id,
                is_at_least=used.is_at_least and measure in ("money", "tokens"),
                evidence=used.evidence.get(measure, ()),
            )
        )
    return tuple(sorted(found, key=lambda use: -use.share))


def _applies(budget: Budget, subject: Subject) -> bool:
    if budget.scope == "run" and subject.run is None:
        return False
    if budget.workspace is not None and budget.workspace not in subject.workspaces:
        return False
    return budget.only is None or subject.is_named(budget.scope, budget.only)


def _comes_before(budget: Budget, limit: float | None, other: Budget, its_limit: float | None) -> bool:
    """Returns whether a limit counts instead of another one: it is more specific, or as specific and stricter."""
    is_stricter = limit is not None and (its_limit is None or limit < its_limit)
    if budget.only_restricts or budget.specificity == other.specificity:
        return is_stricter
    return budget.specificity > other.specificity


def _amount(measure: Measure, amount: float) -> str:
    match measure:
        case "money":
            return figures.cost(amount)
        case "minutes":
            return f"{amount:.1f}" if amount < 10 else f"{amount:.0f}"
        case _:
            return count(int(amount))


def _limit(measure: Measure, limit: float) -> str:
    match measure:
        case "money":
            return figures.cost(limit)
        case "tokens":
            return f"{count(int(limit))} tokens"
        case "turns":
            return f"{int(limit)} turns"
        case "minutes":
            return f"{limit:g} minutes"
        case "errors":
            return f"{int(limit)} errors in a row"
        case "loops":
            return f"{int(limit)} equal failures of one call"
