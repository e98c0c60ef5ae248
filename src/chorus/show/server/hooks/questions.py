"""The permission requests whose hooks wait for an answer, and how each ends: by a decision, or elsewhere.

That a decision was sent to a hook does not prove that it was applied: the client may have been answered a moment
before. What the client really did is read from its session file, for as long as the server runs.
"""

import asyncio
import contextlib
import time
from collections.abc import Iterable
from enum import Enum
from pathlib import Path

from msgspec import Struct

from chorus.core.conversation.tool_facts import kind_of
from chorus.errors import ChorusError
from chorus.show.recorder.outcomes import Outcomes, asked_call, outcome
from chorus.show.server import log
from chorus.show.server.hooks.answered_elsewhere import ELSEWHERE, TerminalSigns
from chorus.show.server.live.client_watcher import ClientWatcher
from chorus.steer.approvals import lifecycle
from chorus.steer.approvals.approvers import ApproversFile
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.lifecycle import Refused
from chorus.steer.approvals.model import Answered, Plan, Request, Row, State
from chorus.steer.approvals.rules.rule_book import RuleBook
from chorus.steer.approvals.trust import Trust
from chorus.steer.approvals.verdict import Verdict, verdict
from chorus.steer.clients.calls import AskedCall
from chorus.steer.clients.plans import find_plans, plan_file

DEADLINE_S = 540
"""How long a request may wait: one minute less than the time after which the client stops the hook."""
BEHIND_S = 120
"""The same for sub-agents of a client in a terminal: the client shows their prompts only after their hooks have ended,
so the person at the terminal must not be kept waiting for long."""
OUTCOME_S = 0.5
"""How often to look for the outcome of requests that no hook waits for any more."""
IDLE_S = 5.0
"""The same while there are no such requests."""
WAIT_S = 0.25
"""How long one wait for the ledger takes at most; a decision during this time is seen at once."""


class Ending(Enum):
    """How a request ends without a decision. The client's own prompt stays, except in a folder that is strict."""

    ELSEWHERE = "elsewhere"
    """It was answered in the terminal, or the client no longer asks."""
    UNANSWERED = "unanswered"
    """It expired, could not be read, or was answered without authority."""


Answer = Verdict | Ending
"""The answer for the client."""


class _HookRequest(Struct, eq=False):
    request: Request
    answered: "asyncio.Future[Answer]"
    signs: TerminalSigns
    call: AskedCall
    looks: int
    """How often the registry had been read when the request was made: earlier looks say nothing about it."""


class HookRequests:
    """Watches the ledger, the registry and session files as long as a hook waits."""

    def __init__(
        self,
        ledger: Ledger,
        trust: Trust,
        approvers: ApproversFile,
        client_watcher: ClientWatcher,
        folders: Iterable[Path],
        rules: RuleBook,
    ) -> None:
        """`trust` is pinned when the server starts: an approver that an agent adds later cannot approve."""
        self.rules = rules
        """The rules that answer requests before a person is asked."""
        self._ledger = ledger
        self._trust = trust
        self._approvers = approvers
        self._client_watcher = client_watcher
        self._folders = list(folders)
        self._open: dict[str, _HookRequest] = {}
        self._wake = asyncio.Event()
        self._outcomes = Outcomes(ledger, self._folders)
        self._looks = 0
        """The last look at the registry that was evaluated; session files are read as often."""

    def deadline_s(self, session: str, agent: str | None) -> int:
        """Returns how long a request may wait for its answer here."""
        running = self._client_watcher.entries.get(session)
        is_behind = agent is not None and running is not None and running.entrypoint == "cli"
        return BEHIND_S if is_behind else DEADLINE_S

    def call_of(self, request: Request) -> AskedCall:
        """Returns the call that the request is about, in its state before anybody can answer; reads a file."""
        call = asked_call(self._folders, request)
        call.look()
        return call

    def plans_of(self, session: str, tool: str, given: str) -> list[Plan]:
        """Returns the plans of a plan request that does not contain its plan; reads files."""
        if kind_of(tool) != "plan" or '"plan"' in given:
            return []
        return [Plan(text, path) for text, path in find_plans(self._folders, session)]

    def put(self, request: Request, row: Row, call: AskedCall) -> "asyncio.Future[Answer]":
        """Returns a future with the answer to a request in the ledger; it is done at once if the row is settled."""
        answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        # A client shows the prompt of a sub-agent only when its hook has ended: until then its registry entry is about
        # other requests.
        signs = TerminalSigns(int(time.time() * 1_000), has_prompt=request.agent is None)
        open_request = _HookRequest(request, answered, signs, call, self._client_watcher.looks)
        if row.is_pending:
            self._open[request.id] = open_request
            self._wake.set()
        else:
            self._settle(open_request, row)
        return answered

    def drop(self, request_id: str) -> None:
        """Notes that no hook waits for the request any more; from now on its outcome is looked for."""
        self._open.pop(request_id, None)
        self._wake.set()

    async def run(self) -> None:
        """Watches until cancelled. What fails is tried again: a request survives a full disk."""
        while True:
            try:
                if not self._open:
                    await self._rest()
                if self._open:
                    await self._look()
                await asyncio.to_thread(self._outcomes.look)
            except ChorusError as error:
                log.logger.error("the ledger cannot be read: %s", type(error).__name__)
                await asyncio.sleep(WAIT_S)
            except Exception as error:  # noqa: BLE001 - one request must not block all others
                log.failure("QUESTIONS", "", error)
                await asyncio.sleep(WAIT_S)

    async def _rest(self) -> None:
        """Waits for a request, or until it is time to look for the outcome of earlier requests."""
        # Not `wait_for`: before Python 3.12 it may lose the cancellation, and then the server never ends.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(OUTCOME_S if self._outcomes.is_looking else IDLE_S):
                await self._wake.wait()
        self._wake.clear()

    async def _look(self) -> None:
        ids = list(self._open)
        for row in await asyncio.to_thread(self._ledger.wait, ids, WAIT_S):
            open_request = self._open.get(row.id)
            if open_request is not None:
                await asyncio.to_thread(self.renew_trust)
                self._settle(open_request, row)
        await asyncio.to_thread(self._ledger.expire_due)
        if self._client_watcher.looks == self._looks:
            return
        self._looks = self._client_watcher.looks
        waiting = [each for each in self._open.values() if each.looks < self._looks]
        seen = {each.request.id: self._client_watcher.entries.get(each.request.session) for each in waiting}
        over = {each.request.id: each.signs.see(seen[each.request.id]) for each in waiting}
        evidences = await asyncio.to_thread(lambda: {each.request.id: each.call.look() for each in waiting})
        for each in waiting:
            evidence, why = evidences[each.request.id], over[each.request.id]
            found = (
                outcome(lifecycle.asked(each.request), evidence, each.call.answered_at)
                if evidence is not None
                else None
            )
            if isinstance(found, Answered):
                await self._end(each, found)
            elif why is not None:
                # The session file will show a little later who answered, and how.
                await self._end(each, Answered() if why == ELSEWHERE else why)

    async def _end(self, open_request: _HookRequest, how: Answered | str) -> None:
        """Records in the ledger that a request needs no answer any more: how it was answered, or why not."""
        request_id = open_request.request.id
        if isinstance(how, Answered):
            row = await asyncio.to_thread(self._ledger.answered, request_id, how)
        else:
            row = await asyncio.to_thread(self._ledger.withdraw, request_id, how)
        if isinstance(row, Refused):
            # Another decision was faster: the next look finds it.
            return
        self._settle(open_request, row)

    def renew_trust(self) -> str | None:
        """Trusts approvers that trusted approvers have admitted since; returns what is wrong with the list, or None.

        Reads a file; may be called from any thread.
        """
        with contextlib.suppress(ChorusError):
            self._approvers.extend(self._trust)
        return self._trust.tampering

    def _has_changed(self, request: Request) -> bool:
        """Returns whether the file of a plan differs from what was shown and signed."""
        now = ((plan, [plan_file(each, plan.path) for each in self._folders]) for plan in request.plans if plan.path)
        return any(plan.text not in texts for plan, texts in now)

    def _settle(self, open_request: _HookRequest, row: Row) -> None:
        if open_request.answered.done():
            return
        found = verdict(open_request.request, row, self._trust)
        if isinstance(found, Refused) and found.kind != "gone":
            log.logger.warning("a decision was not applied: %s", found.kind)
        is_elsewhere = row.state in (State.WITHDRAWN, State.ANSWERED)
        ending = Ending.ELSEWHERE if is_elsewhere else Ending.UNANSWERED
        if isinstance(found, Verdict) and found.behaviour == "allow" and self._has_changed(open_request.request):
            log.logger.warning("a decision was not applied: the plan changed after it was shown")
            found = None
        open_request.answered.set_result(found if isinstance(found, Verdict) else ending)
