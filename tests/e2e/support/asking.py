"""An agent that asks for permissions: the process of the test writes rows into the ledger of a server's vault."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from chorus.core.records.times import wire_time
from chorus.steer.approvals.approvers import pin
from chorus.steer.approvals.asking_process import this_process
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.lifecycle import Refused
from chorus.steer.approvals.model import Decision, Request, Row
from chorus.steer.approvals.trust import Trust
from chorus.steer.approvals.verdict import Verdict, verdict
from tests.e2e.support.serving import Serving

ANSWER_S = 20


class Agent:
    """Asks, and waits for the answers, as the holder of a run does."""

    def __init__(self, serving: Serving) -> None:
        self.state: Path = serving.vault / "state"
        self.ledger = Ledger(self.state)
        self._asked: list[str] = []

    def ask(
        self,
        command: str = "rm -rf build",
        *,
        tool: str = "Bash",
        given: dict[str, Any] | None = None,
        session: str = "e2e",
        conversation: str | None = None,
        waits_s: float | None = None,
        suggestions: tuple[dict[str, Any], ...] = (),
        agent: str | None = None,
        at: datetime | None = None,
    ) -> Request:
        """Adds a pending request; by default it is for a command, and made now."""
        now = at or datetime.now(UTC)
        request = Request(
            id=uuid4().hex,
            source="control",
            key=uuid4().hex,
            session=session,
            tool=tool,
            input=json.dumps(given if given is not None else {"command": command}, ensure_ascii=False),
            cwd="/home/dev/harbour",
            created_at=wire_time(now),
            asker=this_process(),
            conversation=conversation,
            agent=agent,
            suggestions=[json.dumps(each) for each in suggestions],
            deadline_at=None if waits_s is None else wire_time(now + timedelta(seconds=waits_s)),
        )
        assert self.ledger.ask(request).is_pending
        self._asked.append(request.id)
        return request

    def row(self, request: Request) -> Row:
        """Returns the current row of a request."""
        row = self.ledger.row(request.id)
        assert row is not None
        return row

    def answered(self, request: Request, trust: Trust | None = None) -> Verdict | Refused | None:
        """Returns what the agent may do by the answer, checked against `trust` or else the present approvers."""
        self.ledger.wait([request.id], ANSWER_S)
        return verdict(request, self.row(request), trust or pin(self.state))

    def leave(self) -> None:
        """Withdraws all requests of this agent."""
        for request_id in self._asked:
            self.ledger.withdraw(request_id, "the agent left")

    def deny_elsewhere(self, request: Request, message: str = "") -> None:
        """Denies a request at the terminal, before the page does."""
        decision = Decision(behaviour="deny", at=wire_time(datetime.now(UTC)), surface="terminal", message=message)
        outcome = self.ledger.decide(request.id, self.row(request).digest, decision, None)
        assert isinstance(outcome, Row), outcome
