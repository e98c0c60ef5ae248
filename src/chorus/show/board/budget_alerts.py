"""Budgets of what is at work: how much of each limit is used, and the alerts about it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import PurePath

from chorus.core.alerts.model import Alert, Evidence, alert
from chorus.core.budgets.budget import Budget
from chorus.core.budgets.judging import Use, uses
from chorus.core.records.times import wire_time
from chorus.find.costs.conversation_costs import Costs
from chorus.find.index.port import Index
from chorus.keep.vault.port import Vault
from chorus.show.board.budget_meter import BudgetMeter, Work
from chorus.steer.clients.registry_entry import Running
from chorus.steer.runs.run_folders import Run

_AT_WORK = ("running", "waiting")


def run_work(run: Run, conversation: str, state: str) -> Work:
    """Returns the work of a living run. `conversation` is the name of the one that it works on."""
    prefix = f"{run.workspace}/{run.agent}/"
    resumes = run.launch.resumes if not run.launch.is_fork else None
    return Work(
        conversation=conversation,
        workspace_name=PurePath(run.path).name,
        run=run.id,
        is_at_work=state in _AT_WORK,
        started_at=run.started_at,
        earlier=tuple(prefix + each for each in run.sessions if prefix + each != conversation),
        resumed=prefix + resumes if resumes else None,
    )


def client_works(clients: Iterable[Running], name_of: Callable[[str], str | None]) -> list[Work]:
    """Returns the work of clients, as far as their conversations are recorded."""
    named = [(client, name_of(client.session)) for client in clients]
    return [
        Work(conversation=name, workspace_name=PurePath(client.cwd or "").name, is_at_work=client.status != "idle")
        for client, name in named
        if name is not None
    ]


def measured(
    index: Index, vault: Vault, costs: Costs, budgets: Sequence[Budget], works: Mapping[str, Work], now: datetime
) -> dict[str, tuple[Use, ...]]:
    """Returns how much of each limit is used, by the names of conversations. `now` is in the person's time zone."""
    meter = BudgetMeter(index, vault, costs, list(works.values()), now)

    def measure(work: Work) -> tuple[Use, ...]:
        return uses(budgets, meter.subject(work), lambda scope, where: meter.used(work, scope, where))

    return {name: measure(work) for name, work in works.items()}


class BudgetAlerts:
    """Remembers since when a limit is nearly or completely used."""

    def __init__(self) -> None:
        self._since: dict[tuple[str, str, str], str] = {}

    def of(self, found: Mapping[str, tuple[Use, ...]]) -> dict[str, tuple[Alert, ...]]:
        """Returns the alerts, by session."""
        near = {
            (name, use.budget, use.measure): use for name, used in found.items() for use in used if use.state != "fine"
        }
        now = wire_time(datetime.now(UTC))
        self._since = {key: self._since.get(key, now) for key in near}
        alerts: dict[str, tuple[Alert, ...]] = {}
        for key, use in near.items():
            session = key[0].rpartition("/")[2]
            alerts[session] = (*alerts.get(session, ()), _alert(use, self._since[key]))
        return alerts


def _alert(use: Use, since: str) -> Alert:
    said = "is used up" if use.state == "spent" else "is nearly used up"
    found = alert("budget", f"The budget {said}: {use.words}", "", [Evidence(item) for item in use.evidence])
    return Alert(kind=found.kind, text=found.text, thread="", since=since, evidence=found.evidence, count=found.count)
