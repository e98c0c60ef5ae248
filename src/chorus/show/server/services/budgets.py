"""Serves the budgets: the list with what is used of each now, signed changes of it, and what a new one would mean."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from chorus.base import config
from chorus.base.zone import local_zone
from chorus.core.budgets.budget import Budget
from chorus.core.budgets.budget_text import read_budget
from chorus.core.budgets.judging import Use, uses
from chorus.errors import ChorusError
from chorus.find.costs.conversation_costs import Costs
from chorus.find.index.port import Index
from chorus.find.search.annotations import load_annotations, with_given_titles
from chorus.keep.vault.files import FileVault
from chorus.show import wire
from chorus.show.board.budget_meter import BudgetMeter, Work
from chorus.show.server.errors import Refused, bad_request
from chorus.show.server.live.budget_watcher import shown_use
from chorus.steer.approvals.budgets.budgets_file import BudgetsFile
from chorus.steer.approvals.budgets.signed_budgets import BudgetChange

if TYPE_CHECKING:
    from chorus.show.server.services.approvals import ApprovalService

_MAX_AMOUNTS = 12
_Amounts = dict[str, list[wire.BudgetAmount]]
"""By the ids of the budgets."""


class BudgetService:
    """The budgets of one server. May be used from several threads."""

    def __init__(
        self,
        vault: FileVault,
        approvals: "ApprovalService",
        file: BudgetsFile,
        costs: Costs,
        works: Callable[[], Mapping[str, Work]],
    ) -> None:
        """`works` returns everything that clients work on now, by the names of the conversations."""
        self._vault = vault
        self._approvals = approvals
        self._file = file
        self._costs = costs
        self._works = works

    def budgets(self, index: Index) -> wire.Budgets:
        """Returns the budgets, how much of each is used, and entries that have no effect."""
        known = self._approvals.file.load()
        found = self._file.load(known)
        amounts = self._amounts(index, found.in_force)
        return wire.Budgets(
            budgets=tuple(
                wire.BudgetShown(
                    id=each.budget.id,
                    text=each.budget.text,
                    by=known.ever[each.by].name if each.by in known.ever else None,
                    at=each.at,
                    only_restricts=each.budget.only_restricts,
                    amounts=tuple(amounts.get(each.budget.id, [])[:_MAX_AMOUNTS]),
                    more=max(0, len(amounts.get(each.budget.id, [])) - _MAX_AMOUNTS),
                )
                for each in found.budgets
            ),
            rejected=tuple(f"line {each.line}: {each.reason}" for each in found.rejected),
            trouble=self._file.tampering,
            head=self._file.head(),
        )

    def change(self, asked: wire.BudgetChangeAsked, index: Index) -> wire.Budgets:
        """Applies a change that an approver signed; raises `Refused` if it is not accepted."""
        change = BudgetChange(
            action=asked.action, id=asked.id, at=asked.at, text=asked.text, by=asked.by, signature=asked.signature
        )
        self._approvals.file.extend(self._approvals.trust)
        try:
            self._file.append(self._approvals.trust.list, lambda _head: change)
        except ChorusError as error:
            raise Refused(403, "not_allowed", str(error)) from error
        return self.budgets(index)

    def test(self, text: str, index: Index) -> wire.BudgetTest:
        """Returns where a budget would count now, beside the others; raises `Refused` if the text is none."""
        try:
            wanted = read_budget(text)
        except ChorusError as error:
            raise bad_request(str(error)) from error
        in_force = self._file.load(self._approvals.file.load()).in_force
        others = [each for each in in_force if each.id != wanted.id or each.only_restricts]
        replaced = next((each.text for each in in_force if each.id == wanted.id and not each.only_restricts), None)
        found = self._amounts(index, [*others, wanted]).get(wanted.id, [])
        return wire.BudgetTest(
            id=wanted.id,
            text=wanted.text,
            replaces=replaced,
            amounts=tuple(found[:_MAX_AMOUNTS]),
            more=max(0, len(found) - _MAX_AMOUNTS),
        )

    def _amounts(self, index: Index, budgets: Sequence[Budget]) -> _Amounts:
        """Measures what clients work on now, and every workspace and today whether they work there or not."""
        if not budgets:
            return {}
        works = self._works()
        meter = BudgetMeter(index, self._vault, self._costs, list(works.values()), datetime.now(local_zone()))

        def measure(work: Work, limits: Iterable[Budget]) -> tuple[Use, ...]:
            return uses(list(limits), meter.subject(work), lambda scope, where: meter.used(work, scope, where))

        found: dict[tuple[Use, str], wire.BudgetAmount] = {}
        rows = [row for name in works if (row := index.conversation(name)) is not None]
        titles = {row.name: row.title for row in with_given_titles(rows, load_annotations(self._vault))}
        for name, work in works.items():
            for use in measure(work, (each for each in budgets if each.scope in ("run", "conversation"))):
                found[use, name] = wire.BudgetAmount(titles.get(name, work.session), name, shown_use(use))
        for place in self._places(index, works.values()):
            for use in measure(place, (each for each in budgets if each.scope in ("workspace", "day"))):
                is_whole_day = use.scope == "day" and use.workspace is None
                label = "" if is_whole_day else place.workspace_name
                found[use, label] = wire.BudgetAmount(label, None, shown_use(use))
        amounts: _Amounts = {}
        for (use, _), amount in sorted(found.items(), key=lambda each: -each[0][0].share):
            amounts.setdefault(use.budget, []).append(amount)
        return amounts

    def _places(self, index: Index, works: Iterable[Work]) -> list[Work]:
        """Returns every workspace that was ever used, as if nothing worked there."""
        names = config.workspace_names(self._vault.root)
        known = {each: names.of(each).rpartition("/")[2] for each in index.used("workspace")}
        known |= {work.workspace: work.workspace_name for work in works}
        return [Work(conversation=f"{each}//", workspace_name=name) for each, name in sorted(known.items())]
