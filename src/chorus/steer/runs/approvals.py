"""The requests of a run in the permission ledger, judged by the approvers from before the run started."""

import uuid
from collections.abc import Callable
from pathlib import Path

from chorus.core.conversation.tool_facts import kind_of
from chorus.core.protocol.frames import PermissionRequest
from chorus.errors import ChorusError
from chorus.keep.sources.discover import config_folder
from chorus.keep.vault.keys import is_safe_name
from chorus.steer.approvals.approvers import ApproversFile, pin
from chorus.steer.approvals.asking_process import this_process
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.lifecycle import Refused
from chorus.steer.approvals.model import Answered, Behaviour, Plan, Request
from chorus.steer.approvals.rules.rule_book import RuleBook
from chorus.steer.approvals.trust import Approvers
from chorus.steer.approvals.verdict import Verdict, verdict
from chorus.steer.clients.plans import find_plans, plan_file
from chorus.steer.runs.approval_port import PermissionDecision
from chorus.steer.runs.run_folders import FOLDER, Run, RunFolder

PLAN_CHANGED = "The plan's file was changed after a person saw it: ask again."


class LedgerApprovals:
    """Sends the requests of one run to the ledger.

    Create it before the client starts: an approver that was added through the client's doing is not trusted here.
    Raises `SourceUnreadable` if lines of the list of approvers are missing.
    """

    def __init__(self, run: Run, clock: Callable[[], str]) -> None:
        folder = Path(run.state)
        self._run = run
        self._clock = clock
        self._approvers = ApproversFile(folder)
        self._trust = pin(folder)
        self._rules = RuleBook(folder, self._trust)
        self._ledger = Ledger(folder, trust=self._trust)
        self._asker = this_process()
        self._open: dict[str, Request] = {}
        self._settled_ids: dict[str, str] = {}
        """Requests that are settled but have no known outcome yet: the client's id → the ledger's."""

    def ask(self, permission_request: PermissionRequest, *, session: str) -> str:
        run = self._run
        request = Request(
            id=uuid.uuid4().hex,
            source="control",
            key=f"{run.id}:{permission_request.request}",
            session=session,
            tool=permission_request.tool,
            input=permission_request.input,
            cwd=run.path,
            created_at=self._clock(),
            asker=self._asker,
            conversation=f"{run.workspace}/{run.agent}/{session}",
            run=run.id,
            agent=permission_request.agent,
            tool_use=permission_request.call or None,
            suggestions=list(permission_request.suggestions),
            description=permission_request.description or None,
            root=run.path,
            plans=self._plans(permission_request, session),
        )
        row = self._ledger.ask(request, self._rules.decide)
        # What rules decided is reported by `settled`, like every decision.
        if not row.is_pending and row.decision is None:
            raise ChorusError(row.note or f"the ledger says it is {row.state}")
        self._open[permission_request.request] = request
        return request.id

    @property
    def approvers(self) -> Approvers:
        """Those whose signatures count in this run."""
        return self._trust.list

    @property
    def has_approvers(self) -> bool:
        return bool(self._trust.approvers)

    def invalidate(self, request: str, why: str) -> None:
        known = self._open.pop(request, None)
        if known is not None:
            self._ledger.invalidate(known.id, why)
        else:
            self.failed(request, why)

    def _plans(self, permission_request: PermissionRequest, session: str) -> list[Plan]:
        """Returns the plan of a request that does not contain it."""
        if kind_of(permission_request.tool) != "plan" or '"plan"' in permission_request.input:
            return []
        return [Plan(text, path) for text, path in find_plans([config_folder()], session, permission_request.plan)]

    def withdraw(self, request: str, why: str) -> None:
        known = self._open.pop(request, None)
        if known is not None:
            self._ledger.withdraw(known.id, why)

    def took_effect(self, request: str) -> None:
        known = self._settled_ids.pop(request, None)
        if known is not None:
            self._ledger.took_effect(known)

    def failed(self, request: str, why: str) -> None:
        known = self._settled_ids.get(request)
        if known is not None:
            self._ledger.failed(known, why)

    def answered_elsewhere(self, request: str, behaviour: Behaviour | None) -> None:
        open_request = self._open.pop(request, None)
        known = self._settled_ids.pop(request, None) or (open_request.id if open_request else None)
        if known is not None:
            self._ledger.answered(known, Answered(behaviour))
            if behaviour is None:
                self._settled_ids[request] = known

    def settled(self) -> list[PermissionDecision]:
        # Everything that can fail comes before a request is closed, so that a decision is reported once and never lost.
        # New approvers are loaded before the decisions are read, because the ledger judges a row when it reads it.
        self._approvers.extend(self._trust)
        rows = {name: row for name, request in self._open.items() if (row := self._ledger.row(request.id)) is not None}
        if all(row.is_pending for row in rows.values()):
            return []
        outcomes = {name: verdict(self._open[name], row, self._trust) for name, row in rows.items()}
        found = [self._decided(name, outcome) for name, outcome in outcomes.items() if outcome is not None]
        for decided in found:
            decision = rows[decided.request].decision
            if decision is not None and decision.behaviour != decided.behaviour:
                # The client is told otherwise, so the decision must not count as one that took effect.
                self._ledger.failed(rows[decided.request].id, decided.message)
        for decided in found:
            self._settled_ids[decided.request] = self._open.pop(decided.request).id
        return found

    def _decided(self, name: str, outcome: Verdict | Refused) -> PermissionDecision:
        if isinstance(outcome, Refused):
            was_decided = outcome.row is not None and outcome.row.decision is not None
            why = (self._trust.tampering if was_decided else None) or outcome.message
            return PermissionDecision(request=name, behaviour="deny", message=f"Nobody allowed this: {why}.")
        if outcome.behaviour == "allow" and _has_changed(self._open[name]):
            return PermissionDecision(request=name, behaviour="deny", message=PLAN_CHANGED)
        return PermissionDecision(
            request=name,
            behaviour=outcome.behaviour,
            message=outcome.message,
            input=outcome.input,
            suggestions=outcome.suggestions,
        )


def _has_changed(request: Request) -> bool:
    """Returns whether the file of a plan differs from what was shown and signed."""
    return any(plan.path and plan_file(config_folder(), plan.path) != plan.text for plan in request.plans)


def trusts_nobody(home: Path, request: Request, approvers: Approvers) -> bool:
    """Returns whether the run that asks started before there was any approver: then nobody can approve its requests.

    For a caller that is about to ask a person; the run itself uses the list that it pinned. `request` may be untrusted
    text.
    """
    if request.run is None or not is_safe_name(request.run):
        return False
    run = RunFolder(home / FOLDER / request.run).read()
    first = min((each.added_at for each in approvers.ever.values()), default=None)
    return run is not None and (first is None or run.started_at < first)
