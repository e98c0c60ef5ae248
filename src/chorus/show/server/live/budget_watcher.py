"""Compares what is at work with the budgets: tells people at 80 %, interrupts a run at 100 %, then stops it.

Only runs of Chorus are interrupted and stopped. Of other clients, people are told.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterable
from datetime import datetime

from chorus.base.zone import local_zone
from chorus.core.alerts.model import Alert
from chorus.core.budgets.budget import Budget
from chorus.core.budgets.enforcing import STOP_AFTER_S, Enforcement
from chorus.core.budgets.judging import Use
from chorus.errors import ChorusError, IndexDamaged
from chorus.find.costs.conversation_costs import Costs
from chorus.find.index.port import Index
from chorus.keep.vault.port import Vault
from chorus.show import wire
from chorus.show.board.budget_alerts import BudgetAlerts, measured, run_work
from chorus.show.board.budget_meter import Work
from chorus.show.server import log
from chorus.show.server.errors import Refused
from chorus.show.server.live.run_watcher import RunWatcher
from chorus.show.server.services.readers import Readers
from chorus.steer.runs import messages
from chorus.steer.runs.attached import Attached

LOOK_S = 0.5
"""How often to look; without budgets, or with nothing at work, a look costs nothing."""
_PATIENCE_S = 5.0
_LIVING = ("starting", "running", "waiting", "idle")


class BudgetWatcher:
    """The budgets of a server. `uses` and `alerts` may be read from any thread."""

    def __init__(
        self,
        budgets: Callable[[], Iterable[Budget]],
        runs: RunWatcher,
        readers: Readers,
        vault: Vault,
        costs: Costs,
        *,
        clients: Callable[[], Iterable[Work]] = lambda: (),
        stop_after_s: float = STOP_AFTER_S,
    ) -> None:
        """`clients` returns the work of clients that Chorus did not start."""
        self._budgets = budgets
        self._runs = runs
        self._readers = readers
        self._vault = vault
        self._costs = costs
        self._clients = clients
        self._stop_after_s = stop_after_s
        self._known: tuple[Budget, ...] = ()
        """The budgets that were read last."""
        self._enforcements: dict[str, Enforcement] = {}
        """By run."""
        self._budget_alerts = BudgetAlerts()
        self.uses: dict[str, tuple[Use, ...]] = {}
        """By the name of a conversation; the dict is replaced as a whole and never changed."""
        self.alerts: dict[str, tuple[Alert, ...]] = {}
        """By session: limits that are nearly or completely used; the dict is replaced and never changed."""
        self.changed: Callable[[], None] = lambda: None
        """Called after each change of `uses`."""

    async def run(self) -> None:
        """Watches until cancelled. Whatever fails is tried again."""
        while True:
            try:
                await self.look()
            except IndexDamaged:
                pass  # The index is being built.
            except Refused as refused:
                log.logger.warning("budgets: %s", refused.problem.kind)
            except Exception as error:  # noqa: BLE001 - the next look may succeed
                log.failure("BUDGETS", "", error)
            await asyncio.sleep(LOOK_S)

    async def look(self) -> None:
        """Measures everything at work, and acts. Raises `IndexDamaged` if there is no index yet."""
        budgets, works = await self._readers.in_thread(self._works)
        found = await self._readers.run(lambda index: self._measured(index, budgets, works)) if works else {}
        self._note(found)
        living = {work.run: found[name] for name, work in works.items() if work.run is not None}
        self._enforcements = {run: known for run, known in self._enforcements.items() if run in living}
        for run, used in living.items():
            await self._act(run, used)

    def _works(self) -> tuple[tuple[Budget, ...], dict[str, Work]]:
        try:
            self._known = tuple(self._budgets())
        except ChorusError as error:
            # Making the file unreadable must not help anybody: what was in force stays in force.
            log.logger.error("the budgets cannot be read, so the last ones stay in force: %s", type(error).__name__)
        return self._known, self.works() if self._known else {}

    def works(self) -> dict[str, Work]:
        """Returns what clients work on now, by the names of the conversations. May be called from any thread."""
        # A run is a client, too: what is known about the run counts.
        return {work.conversation: work for work in (*self._clients(), *self._run_works())}

    def _measured(
        self, index: Index, budgets: tuple[Budget, ...], works: dict[str, Work]
    ) -> dict[str, tuple[Use, ...]]:
        return measured(index, self._vault, self._costs, budgets, works, datetime.now(local_zone()))

    def _run_works(self) -> list[Work]:
        found: list[Work] = []
        for shown in self._runs.all_runs():
            folder = self._runs.find(shown.id) if shown.state in _LIVING else None
            run = folder.read() if folder is not None else None
            if run is None:
                continue
            found.append(run_work(run, shown.conversation, shown.state))
        return found

    def _note(self, found: dict[str, tuple[Use, ...]]) -> None:
        self.alerts = self._budget_alerts.of(found)
        if found != self.uses:
            self.uses = found
            self.changed()

    async def _act(self, run: str, used: tuple[Use, ...]) -> None:
        """Interrupts the run if a limit is used up; stops it once its turn has ended."""
        shown = self._runs.runs.get(run)
        if shown is None or shown.state not in _LIVING:
            return
        enforcement = self._enforcements.setdefault(run, Enforcement(self._stop_after_s))
        step = enforcement.step(used, is_idle=shown.state == "idle", now_s=time.monotonic())
        if step is not None:
            ask = messages.Interrupt if step.act == "interrupt" else messages.Stop
            await self._steer(run, ask(why=step.why))

    async def _steer(self, run: str, command: messages.Interrupt | messages.Stop) -> None:
        folder = self._runs.find(run)
        if folder is None:
            return

        def do() -> None:
            # A run that does not answer is stopped at a later look; one that has just ended needs nothing.
            with contextlib.suppress(ChorusError), Attached(folder, patience_s=_PATIENCE_S) as attached:
                attached.do(command)

        await asyncio.to_thread(do)


def shown_uses(used: Iterable[Use]) -> tuple[wire.BudgetUse, ...]:
    """Returns the uses in the form that is sent to pages."""
    return tuple(map(shown_use, used))


def shown_use(use: Use) -> wire.BudgetUse:
    """Returns a use in the form that is sent to pages."""
    return wire.BudgetUse(
        scope=use.scope, measure=use.measure, state=use.state, words=use.words, share=round(use.share, 2)
    )
