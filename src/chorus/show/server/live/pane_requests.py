"""Permission prompts of clients in panes, for clients that have neither a control channel nor a hook of Chorus.

Where three sources agree (`steer/tmux/agreement.py`), the open call becomes a request like any other. Its answer is one
key, sent once, right after everything was checked again. What came of it is read from the client's session file.
"""

import secrets
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec import Struct

from chorus.base import processes
from chorus.core.records.times import wire_time
from chorus.errors import ChorusError, TmuxFailed
from chorus.show.recorder.outcomes import Outcomes
from chorus.show.server import log
from chorus.steer.approvals.approvers import ApproversFile
from chorus.steer.approvals.asking_process import this_process
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.model import Request, State
from chorus.steer.approvals.trust import Trust
from chorus.steer.approvals.verdict import Verdict, verdict
from chorus.steer.clients.open_calls import OpenCalls
from chorus.steer.clients.registry import Registry
from chorus.steer.clients.registry_entry import Running
from chorus.steer.tmux.agreement import Agreement, agree, the_pane_of
from chorus.steer.tmux.connection import Connection
from chorus.steer.tmux.panes import Pane, list_panes
from chorus.steer.tmux.pasting import press
from chorus.steer.tmux.sight import Sight, look_into

DEADLINE_S = 3_600
STABLE_S = 1.5
"""How long the sources must agree before a request is made: a hook of Chorus asks within this time."""
OUTCOME_S = 10.0
"""How long the client may go on waiting after the key was sent; then the attempt has failed."""
CHANGED = "the prompt in the pane is not the same any more"
FAILED_KEY = "the key was sent, but the client still waits"


class _PaneRequest(Struct):
    request: Request
    agreement: Agreement
    sent_at: float | None = None
    """When the key was sent, by the monotonic clock."""


class PaneRequests:
    """The requests that this server made for prompts in panes. One thread uses it."""

    def __init__(
        self,
        ledger: Ledger,
        trust: Trust,
        approvers: ApproversFile,
        folders: Iterable[Path],
        *,
        name_of: Callable[[str], str | None],
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        """`folders` are client folders. `name_of` returns the conversation of a session if it is recorded already."""
        self._ledger = ledger
        self._trust = trust
        self._approvers = approvers
        self._folders = list(folders)
        self._registry = Registry(self._folders)
        self._outcomes = Outcomes(ledger, self._folders)
        self._name_of = name_of
        self._ticks = ticks
        self._calls: dict[str, OpenCalls] = {}
        self._since: dict[str, tuple[Agreement, float]] = {}
        """Since when the sources agree about a session."""
        self._open: dict[str, _PaneRequest] = {}
        """The request for each session."""
        self._spent: set[tuple[str, str]] = set()
        """Sessions and calls for which a key was sent: there is no second one."""

    @property
    def is_waiting(self) -> bool:
        """Whether a decision may come at any time."""
        return bool(self._open)

    def look(self, connections: dict[Path, Connection]) -> None:
        """Makes requests where the sources agree, and withdraws those for which they do not any more."""
        running = self._registry.look()
        waiting = {session: each for session, each in running.items() if each.status == "waiting"}
        panes = [pane for each in connections.values() for pane in _panes(each)] if waiting or self._open else []
        self._follow_up(running)
        for session, each in waiting.items():
            found = self._agreement(each, panes, connections)
            known = self._open.get(session)
            if known is not None and known.sent_at is None and found != known.agreement:
                self._withdraw(session)
            elif isinstance(found, Agreement) and known is None:
                self._consider(found)
            elif not isinstance(found, Agreement):
                self._since.pop(session, None)
        for session in [each for each in self._open if each not in waiting]:
            if self._open[session].sent_at is None:
                self._withdraw(session)
        self._since = {session: each for session, each in self._since.items() if session in waiting}
        self._calls = {session: each for session, each in self._calls.items() if session in running}

    def step(self, connections: dict[Path, Connection]) -> None:
        """Acts on decisions that were made since the last call."""
        for session, known in list(self._open.items()):
            row = self._ledger.row(known.request.id)
            if row is None or row.is_pending or known.sent_at is not None:
                continue
            if row.state not in (State.APPROVED, State.DENIED):
                del self._open[session]
                continue
            self._approvers.extend(self._trust)
            found = verdict(known.request, row, self._trust)
            if not isinstance(found, Verdict):
                log.logger.warning("a decision was not applied to a pane")
                self._fail(session, "the decision has no valid signature")
                continue
            try:
                self._answer(session, known, found, connections)
            except ChorusError as error:
                self._fail(session, str(error))

    def close(self) -> None:
        """Withdraws what nobody has answered: no other process can send the key."""
        for session in [each for each, known in self._open.items() if known.sent_at is None]:
            self._withdraw(session, "the server has ended")

    def _agreement(self, running: Running, panes: list[Pane], connections: dict[Path, Connection]) -> Agreement | str:
        """Returns what the three sources say now."""
        found, _ = self._look_closely(running, panes, connections)
        return found

    def _look_closely(
        self, running: Running, panes: list[Pane], connections: dict[Path, Connection]
    ) -> tuple[Agreement | str, Sight | None]:
        pane = the_pane_of(running, panes, processes.at_terminals())
        if isinstance(pane, str):
            return pane, None
        calls = self._calls.setdefault(running.session, OpenCalls(self._folders, running.session)).look()
        connection = connections.get(Path(pane.socket))
        if connection is None:
            return "its tmux server is gone", None
        try:
            sight = look_into(connection, pane)
        except TmuxFailed as error:
            return str(error), None
        return agree(running, pane, calls, sight), sight

    def _consider(self, found: Agreement) -> None:
        """Makes a request if the sources have agreed for a while and nobody else asks for this session."""
        session, now = found.session, self._ticks()
        before = self._since.get(session)
        if before is None or before[0] != found:
            self._since[session] = found, now
            return
        if now - before[1] < STABLE_S or (session, found.call.id) in self._spent:
            return
        if any(row.request.session == session for row in self._ledger.pending()):
            return
        request = self._request(found)
        if self._ledger.ask(request).is_pending:
            self._open[session] = _PaneRequest(request, found)

    def _request(self, found: Agreement) -> Request:
        now, call = datetime.now(UTC), found.call
        return Request(
            id=secrets.token_hex(16),
            source="tmux",
            key=f"{found.session} {call.id} {found.waiting_since_ms}",
            session=found.session,
            tool=call.tool,
            input=call.input,
            cwd=call.cwd,
            created_at=wire_time(now),
            asker=this_process(),
            conversation=self._name_of(found.session),
            tool_use=call.id,
            deadline_at=wire_time(now + timedelta(seconds=DEADLINE_S)),
        )

    def _answer(self, session: str, known: _PaneRequest, found: Verdict, connections: dict[Path, Connection]) -> None:
        """Sends the key for a decision, if nothing has changed since the request was made."""
        if found.input is not None or found.suggestions:
            self._fail(session, "a pane takes only yes or no: the input and the rules cannot be changed there")
            return
        running = self._registry.look().get(session)
        connection = connections.get(Path(known.agreement.pane[0]))
        if running is None or connection is None:
            self._fail(session, CHANGED)
            return
        now, sight = self._look_closely(running, _panes(connection), connections)
        if now != known.agreement or sight is None:
            self._fail(session, CHANGED)
            return
        keys = known.agreement.keys
        key = keys.allow if found.behaviour == "allow" else keys.deny
        # From here on there is no second try, whatever happens.
        self._spent.add((session, known.agreement.call.id))
        if not press(connection, known.agreement.pane[1], key, sight.unchanged):
            self._fail(session, CHANGED)
            return
        known.sent_at = self._ticks()

    def _follow_up(self, running: dict[str, Running]) -> None:
        """Ends requests whose key was sent: the session file says what came of it, or the attempt has failed."""
        if any(known.sent_at is not None for known in self._open.values()):
            self._outcomes.look()
        for session, known in list(self._open.items()):
            if known.sent_at is None:
                continue
            row = self._ledger.row(known.request.id)
            if row is None or not row.is_open:
                del self._open[session]
                continue
            each = running.get(session)
            still_waits = each is not None and each.status_since_ms == known.agreement.waiting_since_ms
            if (still_waits or each is None) and self._ticks() - known.sent_at > OUTCOME_S:
                self._fail(session, FAILED_KEY if still_waits else "the session ended before it said what it did")

    def _withdraw(self, session: str, why: str = CHANGED) -> None:
        known = self._open.pop(session)
        self._since.pop(session, None)
        self._ledger.withdraw(known.request.id, why)

    def _fail(self, session: str, why: str) -> None:
        known = self._open.pop(session)
        self._since.pop(session, None)
        self._ledger.failed(known.request.id, why)


def _panes(connection: Connection) -> list[Pane]:
    try:
        return list_panes(connection)
    except TmuxFailed:
        return []
