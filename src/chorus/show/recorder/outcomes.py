"""Finds the outcomes of requests in the clients' session files and records them in the permission ledger.

A hook does not learn whether its answer counted: the terminal, another hook or a rule may have been faster. The
client's file says who answered. So it is read before the ledger is shown, and no row claims what did not happen.
"""

import time
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from pathlib import Path

from chorus.core.protocol.evidence import Evidence
from chorus.core.records.session_ids import is_session_id
from chorus.errors import ChorusError
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.lifecycle import Refused
from chorus.steer.approvals.model import Answered, Effect, Request, Row, State
from chorus.steer.clients.calls import AskedCall, read_time

_SOONEST_S, _LATEST_S = 0.4, 60.0
_AT_ONCE = timedelta(seconds=1)
"""How long a prompt may stay open in the terminal after Chorus has answered it, on a busy machine."""


class Outcomes:
    """Searches as long as requests are open. Not thread-safe."""

    def __init__(self, ledger: Ledger, folders: Iterable[Path], ticks: Callable[[], float] = time.monotonic) -> None:
        """`folders` are client folders."""
        self._ledger = ledger
        self._folders = list(folders)
        self._ticks = ticks
        self._calls: dict[str, AskedCall] = {}
        self._due: dict[str, tuple[float, float]] = {}
        """When each request is checked next, and the pause before that check."""

    @property
    def is_looking(self) -> bool:
        """Whether there was an open request at the last look."""
        return bool(self._due)

    def look(self) -> list[Row]:
        """Records the outcomes that became known since the last look and returns those rows."""
        ids = self._ledger.open_ids()
        for gone in self._due.keys() - set(ids):
            del self._due[gone]
            self._calls.pop(gone, None)
        due = [self._ledger.row(each) for each in ids if self._is_due(each)]
        found = [self._find_outcome(row) for row in due if row is not None and row.is_open]
        return [row for row in found if row is not None]

    def _is_due(self, request_id: str) -> bool:
        """Checks often while a request is new, and rarely when no outcome comes."""
        now = self._ticks()
        at, pause = self._due.get(request_id, (now, _SOONEST_S))
        if now < at:
            return False
        self._due[request_id] = (now + pause, min(_LATEST_S, pause * 1.2))
        return True

    def _find_outcome(self, row: Row) -> Row | None:
        request = row.request
        if not is_session_id(request.session):
            return None
        call = self._calls.get(row.id)
        if call is None:
            call = self._calls[row.id] = asked_call(self._folders, request)
        evidence = call.look()
        found = outcome(row, evidence, call.answered_at) if evidence is not None else None
        try:
            done = self._write(row, found)
        except ChorusError:
            return None  # The ledger is not available now; the next look may succeed.
        return done if isinstance(done, Row) else None

    def _write(self, row: Row, found: Answered | Effect | None) -> Row | Refused | None:
        if isinstance(found, Answered):
            return self._ledger.answered(row.id, found)
        return self._ledger.took_effect(row.id) if found is not None else None


def asked_call(folders: Iterable[Path], request: Request) -> AskedCall:
    """Returns the call that a request is about, in the files of clients."""
    return AskedCall(
        folders,
        session=request.session,
        agent=request.agent,
        tool=request.tool,
        input_text=request.input,
        call=request.tool_use,
        since=request.created_at,
    )


def outcome(row: Row, evidence: Evidence, at: datetime | None = None) -> Answered | Effect | None:
    """Returns what the evidence says about a request: how it was answered elsewhere, or that its decision took effect.

    `at` is when the client wrote the evidence. Returns None if nobody answered because the turn was interrupted or the
    asker was gone, and if the evidence does not tell whether a call that was allowed ran: such a row stays *sent*.
    """
    request, decision = row.request, row.decision
    # The client attributes the answer of a host or a permission tool to its user, and the answer of a hook to a hook.
    ours = ("hook", "unknown") if request.source == "hook" else ("person", "unknown", "rule")
    sent = decision.behaviour if decision is not None and row.effect == "sent" else None
    if evidence.is_unanswered and sent is None:
        return None
    if evidence.behaviour == sent and evidence.by in ours:
        return "took_effect"
    is_interrupted = request.source != "hook" and row.state is State.WITHDRAWN and evidence.by == "person"
    if is_interrupted and evidence.behaviour == "deny":
        return None
    in_terminal = evidence.by == "person" and request.source == "hook"
    if in_terminal and evidence.may_be_interrupt and (gap := _time_since_answer(row, at)) is not None:
        # A call that a person interrupts while it runs looks in the file like a call that was denied. A denial is too
        # late once the prompt is closed.
        if sent == "allow":
            return "took_effect" if gap > _AT_ONCE else None
        if row.answered is not None:
            return Answered("allow", "terminal")
    return Answered(evidence.behaviour, "terminal" if in_terminal else "elsewhere")


def _time_since_answer(row: Row, at: datetime | None) -> timedelta | None:
    """Returns how long before `at` the request was answered; None if it was not. A client writes a denial at once."""
    settled = read_time(row.settled_at)
    return at - settled if settled is not None and at is not None and settled < at else None
