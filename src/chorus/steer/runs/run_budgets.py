"""The budgets of one run, held by the run itself, so that they apply whether a server runs or not.

The run knows what it used itself, which it also counts for its workspace and for today. What others used there, or
earlier in the same conversation, is known to the server, which holds all limits.
"""

import time
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path, PurePath

from chorus.base.prices import PRICES_FILE, load_prices
from chorus.base.zone import local_zone
from chorus.core.budgets.budget import Budget, Scope
from chorus.core.budgets.enforcing import Enforcement, Step
from chorus.core.budgets.judging import Subject, Use, Used, uses
from chorus.core.spending.rates import Prices
from chorus.errors import ChorusError
from chorus.steer.approvals.budgets.budgets_file import BudgetsFile
from chorus.steer.approvals.trust import Approvers
from chorus.steer.runs.own_meter import OwnMeter
from chorus.steer.runs.pipe_recorder import PipeRecorder
from chorus.steer.runs.run_folders import Run

_IDLE_LOOK_S, _WORKING_LOOK_S = 1.0, 0.05
"""A fast client must not get several messages further before it is interrupted."""
_MAX_SHARE = 20
"""A look is followed by at least this many times its own duration without one."""


class RunBudgets:
    """The budgets that apply to a run. Without any, a look costs next to nothing."""

    def __init__(
        self,
        run: Run,
        recorder: PipeRecorder,
        approvers: Callable[[], Approvers],
        home: Path,
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        """`approvers` returns those whose signatures count; `home` has the person's own prices."""
        self._run = run
        self._recorder = recorder
        self._approvers = approvers
        self._home = home
        self._ticks = ticks
        self._file = BudgetsFile(Path(run.state))
        self._known: tuple[Budget, ...] = ()
        """The budgets that were read last."""
        self._enforcement = Enforcement()
        self._meter: OwnMeter | None = None
        self._next_s = 0.0
        self._why_unread = ""
        self.words = ""
        """About the limit that is nearest to its end; empty if none is nearly used up."""

    def look(self, *, session: str, turns: int, is_idle: bool) -> Step | None:
        """Returns what is to be done about the run, if the last look is long enough ago. `turns` is how many turns have
        ended."""
        began_s = self._ticks()
        if began_s < self._next_s:
            return None
        used = self._used(session, turns)
        near = next((use for use in used if use.state != "fine"), None)
        self.words = f"budget: {near.words}" if near else ""
        now_s = self._ticks()
        self._next_s = now_s + max(_IDLE_LOOK_S if is_idle else _WORKING_LOOK_S, _MAX_SHARE * (now_s - began_s))
        return self._enforcement.step(used, is_idle=is_idle, now_s=now_s)

    def _used(self, session: str, turns: int) -> Sequence[Use]:
        budgets = self._read()
        if not budgets:
            return ()
        now = datetime.now(local_zone())
        meter = self._measuring()
        meter.catch_up(self._run.sessions)
        own = meter.used(turns=turns, started_at=self._run.started_at, now=now)
        # The minutes of a conversation are those of its turns, which the server counts.
        without_minutes = Used(
            amounts={name: amount for name, amount in own.amounts.items() if name != "minutes"},
            evidence=own.evidence,
            is_at_least=own.is_at_least,
        )
        workspaces = self._run.workspace, PurePath(self._run.path).name
        subject = Subject(run=self._run.id, session=session, workspaces=workspaces, day=now.date().isoformat())

        def used(scope: Scope, _where: str | None) -> Used:
            match scope:
                case "run":
                    return own
                case "conversation":
                    return without_minutes
                case "workspace":
                    return meter.used_in_workspace(turns=turns)
                case "day":
                    return meter.used_today(started_at=self._run.started_at, now=now)

        return uses(budgets, subject, used)

    def _read(self) -> tuple[Budget, ...]:
        try:
            self._known = self._file.load(self._approvers()).in_force
        except (ChorusError, OSError) as error:
            # Whoever makes the file unreadable must not gain by it: what was in force stays in force.
            if self._why_unread != str(error):
                self._why_unread = str(error)
                self._recorder.note(type="budgets-unread", why=self._why_unread)
        return self._known

    def _measuring(self) -> OwnMeter:
        """Loads the prices only for a run with a budget."""
        if self._meter is None:
            try:
                prices = load_prices(self._home / PRICES_FILE, may_be_missing=True)
            except ChorusError as error:
                # A limit must hold whatever is in that file.
                self._recorder.note(type="prices-unread", why=str(error))
                prices = Prices.load()
            self._meter = OwnMeter(self._recorder, prices.cost_of)
        return self._meter
