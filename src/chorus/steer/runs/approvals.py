"""The run's questions in the ledger of approvals, judged by the approvers there were when the run began."""

import uuid
from collections.abc import Callable
from pathlib import Path

from chorus.core.conversation.tool_facts import kind_of
from chorus.core.protocol.frames import PermissionRequest
from chorus.errors import ChorusError
from chorus.keep.sources.discover import config_folder
from chorus.keep.vault.keys import is_safe_name
from chorus.steer.approvals.approvers import ApproversFile
from chorus.steer.approvals.asking_process import this_process
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.lifecycle import Refused
from chorus.steer.approvals.model import Answered, Behaviour, Plan, Request
from chorus.steer.approvals.trust import Approvers, Trust
from chorus.steer.approvals.verdict import Verdict, verdict
from chorus.steer.clients.plans import find_plans, plan_file
from chorus.steer.runs.approval_port import Decided
from chorus.steer.runs.run_folders import FOLDER, Run, RunFolder

PLAN_CHANGED = "The plan's file was changed after a person saw it: ask again."


class LedgerQuestions:
    """Asks for one run. Made before its client starts: who becomes an approver by the client's doing is none here."""

    def __init__(self, run: Run, clock: Callable[[], str]) -> None:
        folder = Path(run.state)
        self._run = run
        self._clock = clock
        self._approvers = ApproversFile(folder)
        self._trust = Trust(self._approvers.load())
        self._ledger = Ledger(folder, trust=self._trust)
        self._asker = this_process()
        self._open: dict[str, Request] = {}
        self._told: dict[str, str] = {}
        """What was decided or answered elsewhere, until it is known what came of it: the client's id → the ledger's."""

    def ask(self, asked: PermissionRequest, *, session: str) -> str:
        run = self._run
        request = Request(
            id=uuid.uuid4().hex,
            source="control",
            key=f"{run.id}:{asked.request}",
            session=session,
            tool=asked.tool,
            input=asked.input,
            cwd=run.path,
            created_at=self._clock(),
            asker=self._asker,
            conversation=f"{run.workspace}/{run.agent}/{session}",
            run=run.id,
            agent=asked.agent,
            tool_use=asked.call or None,
            suggestions=list(asked.suggestions),
            description=asked.description or None,
            plans=self._plans(asked, session),
        )
        row = self._ledger.ask(request)
        if not row.is_pending:
            raise ChorusError(row.note or f"the ledger says it is {row.state}")
        self._open[asked.request] = request
        return request.id

    @property
    def has_approvers(self) -> bool:
        return bool(self._trust.approvers)

    def invalidate(self, request: str, why: str) -> None:
        known = self._open.pop(request, None)
        if known is not None:
            self._ledger.invalidate(known.id, why)

    def _plans(self, asked: PermissionRequest, session: str) -> list[Plan]:
        """The plan that a question does not say itself."""
        if kind_of(asked.tool) != "plan" or '"plan"' in asked.input:
            return []
        return [Plan(text, path) for text, path in find_plans([config_folder()], session, asked.plan)]

    def withdraw(self, request: str, why: str) -> None:
        known = self._open.pop(request, None)
        if known is not None:
            self._ledger.withdraw(known.id, why)

    def took_effect(self, request: str) -> None:
        known = self._told.pop(request, None)
        if known is not None:
            self._ledger.took_effect(known)

    def answered_elsewhere(self, request: str, behaviour: Behaviour | None) -> None:
        asked = self._open.pop(request, None)
        known = self._told.pop(request, None) or (asked.id if asked else None)
        if known is not None:
            self._ledger.answered(known, Answered(behaviour))
            if behaviour is None:
                self._told[request] = known

    def settled(self) -> list[Decided]:
        # All that can fail comes before any question is closed: what was decided is told once, and never lost. Whom
        # approvers let in comes before what those decided: the ledger judges a row when it reads it.
        self._approvers.extend(self._trust)
        rows = {name: row for name, request in self._open.items() if (row := self._ledger.row(request.id)) is not None}
        if all(row.is_pending for row in rows.values()):
            return []
        outcomes = {name: verdict(self._open[name], row, self._trust) for name, row in rows.items()}
        found = [self._decided(name, outcome) for name, outcome in outcomes.items() if outcome is not None]
        for decided in found:
            self._told[decided.request] = self._open.pop(decided.request).id
        return found

    def _decided(self, name: str, outcome: Verdict | Refused) -> Decided:
        if isinstance(outcome, Refused):
            was_decided = outcome.row is not None and outcome.row.decision is not None
            why = (self._trust.tampering if was_decided else None) or outcome.message
            return Decided(request=name, behaviour="deny", message=f"Nobody allowed this: {why}.")
        if outcome.behaviour == "allow" and _has_changed(self._open[name]):
            return Decided(request=name, behaviour="deny", message=PLAN_CHANGED)
        return Decided(
            request=name,
            behaviour=outcome.behaviour,
            message=outcome.message,
            input=outcome.input,
            suggestions=outcome.suggestions,
        )


def _has_changed(request: Request) -> bool:
    """Whether the plan's file is no longer what was shown and signed."""
    return any(plan.path and plan_file(config_folder(), plan.path) != plan.text for plan in request.plans)


def trusts_nobody(home: Path, request: Request, approvers: Approvers) -> bool:
    """Whether the run that asks began before there was any approver: then nobody can approve what it asks.

    For who is about to ask a person; the run itself goes by what it pinned. `request` may be anybody's text.
    """
    if request.run is None or not is_safe_name(request.run):
        return False
    run = RunFolder(home / FOLDER / request.run).read()
    first = min((each.added_at for each in approvers.ever.values()), default=None)
    return run is not None and (first is None or run.started_at < first)
