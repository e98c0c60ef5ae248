"""Alerts about budgets, for the board in the terminal: measured here, whether a server runs or not."""

from collections.abc import Iterable
from datetime import datetime

from chorus.core.alerts.model import Alert
from chorus.errors import ChorusError
from chorus.find.costs.conversation_costs import Costs
from chorus.find.index.port import Index
from chorus.keep.vault.files import FileVault
from chorus.show.board.budget_alerts import BudgetAlerts, measured
from chorus.show.board.budget_meter import Work
from chorus.steer.approvals import approvers
from chorus.steer.approvals.budgets.budgets_file import BudgetsFile


class BoardBudgets:
    """Measures again and again. Without budgets, or with nothing at work, that costs next to nothing."""

    def __init__(self, vault: FileVault, costs: Costs) -> None:
        self._vault = vault
        self._costs = costs
        self._state = vault.root / "state"
        self._file = BudgetsFile(self._state)
        self._alerts = BudgetAlerts()

    def alerts(self, index: Index, works: Iterable[Work], now: datetime) -> dict[str, tuple[Alert, ...]]:
        """Return the alerts, by session. `now` is in the time zone of the person."""
        by_name = {work.conversation: work for work in works}
        if not by_name:
            return {}
        try:
            budgets = self._file.load(approvers.load(self._state)).in_force
        except ChorusError:
            return {}
        return self._alerts.of(measured(index, self._vault, self._costs, budgets, by_name, now) if budgets else {})
