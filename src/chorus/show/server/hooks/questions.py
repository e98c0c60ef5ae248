"""The questions that hooks of this server wait for, and how each ends: by a decision, or elsewhere.

A decision that is told to a hook is sent, no more: the client may have been answered a moment before. What it really
did is learned from its session file, for as long as the server runs.
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
from chorus.steer.approvals.trust import Trust
from chorus.steer.approvals.verdict import Verdict, verdict
from chorus.steer.clients.calls import AskedCall
from chorus.steer.clients.plans import find_plans, plan_file

DEADLINE_S = 540
"""A minute before the client would end the hook."""
BEHIND_S = 120
"""For sub-agents of a client in a terminal: it shows their prompts only after their hooks have ended, so whoever sits
there is not to be kept from answering for long."""
OUTCOME_S = 0.5
"""How often it is looked what became of questions that nobody waits for any more."""
IDLE_S = 5.0
"""How often while there are none."""
WAIT_S = 0.25
"""How long one look at the ledger takes at most; what is decided meanwhile is seen at once."""


class Ending(Enum):
    """A question that ends without a decision: the client's own prompt stays, but where a folder is strict."""

    ELSEWHERE = "elsewhere"
    """It was answered in the terminal, or is no longer asked."""
    UNANSWERED = "unanswered"
    """Too late, not fit to be asked, or answered by somebody who may not."""


Answer = Verdict | Ending
"""What to tell the client."""


class _Question(Struct, eq=False):
    request: Request
    answered: "asyncio.Future[Answer]"
    signs: TerminalSigns
    call: AskedCall
    looks: int
    """How often the registry had been looked at when it was put: older looks say nothing about it."""


class Questions:
    """Watches the ledger, the registry and session files for as long as somebody waits."""

    def __init__(
        self,
        ledger: Ledger,
        trust: Trust,
        approvers: ApproversFile,
        client_watcher: ClientWatcher,
        folders: Iterable[Path],
    ) -> None:
        """`trust` is pinned when the server starts: nobody who is added by an agent later can approve."""
        self._ledger = ledger
        self._trust = trust
        self._approvers = approvers
        self._client_watcher = client_watcher
        self._folders = list(folders)
        self._open: dict[str, _Question] = {}
        self._wake = asyncio.Event()
        self._outcomes = Outcomes(ledger, self._folders)
        self._looks = 0
        """The last look at the registry that was thought about; files are looked at as often."""

    def deadline_s(self, session: str, agent: str | None) -> int:
        """How long a question may wait for its answer here."""
        running = self._client_watcher.entries.get(session)
        is_behind = agent is not None and running is not None and running.entrypoint == "cli"
        return BEHIND_S if is_behind else DEADLINE_S

    def call_of(self, request: Request) -> AskedCall:
        """The call that is asked about, as it stands before anybody can answer; reads a file."""
        call = asked_call(self._folders, request)
        call.look()
        return call

    def plans_of(self, session: str, tool: str, given: str) -> list[Plan]:
        """The plan that a question does not say itself; reads files."""
        if kind_of(tool) != "plan" or '"plan"' in given:
            return []
        return [Plan(text, path) for text, path in find_plans(self._folders, session)]

    def put(self, request: Request, row: Row, call: AskedCall) -> "asyncio.Future[Answer]":
        """Wait for the answer to a request that is in the ledger; the future has it at once if it is settled."""
        answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        # A client shows the prompt of a sub-agent only when its hook has ended: until then its word is about others.
        signs = TerminalSigns(int(time.time() * 1_000), has_prompt=request.agent is None)
        question = _Question(request, answered, signs, call, self._client_watcher.looks)
        if row.is_pending:
            self._open[request.id] = question
            self._wake.set()
        else:
            self._settle(question, row)
        return answered

    def drop(self, request_id: str) -> None:
        """Nobody waits any more; what became of it is looked for from now on."""
        self._open.pop(request_id, None)
        self._wake.set()

    async def run(self) -> None:
        """Watch until cancelled. What fails is tried again: a question outlives a full disk."""
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
            except Exception as error:  # noqa: BLE001 - one question must not silence all others
                log.failure("QUESTIONS", "", error)
                await asyncio.sleep(WAIT_S)

    async def _rest(self) -> None:
        """Wait until somebody asks, or it is time to look what became of earlier questions."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), OUTCOME_S if self._outcomes.is_looking else IDLE_S)
        self._wake.clear()

    async def _look(self) -> None:
        ids = list(self._open)
        for row in await asyncio.to_thread(self._ledger.wait, ids, WAIT_S):
            question = self._open.get(row.id)
            if question is not None:
                await asyncio.to_thread(self.renew_trust)
                self._settle(question, row)
        await asyncio.to_thread(self._ledger.expire_due)
        if self._client_watcher.looks == self._looks:
            return
        self._looks = self._client_watcher.looks
        waiting = [each for each in self._open.values() if each.looks < self._looks]
        seen = {each.request.id: self._client_watcher.entries.get(each.request.session) for each in waiting}
        over = {each.request.id: each.signs.see(seen[each.request.id]) for each in waiting}
        told = await asyncio.to_thread(lambda: {each.request.id: each.call.look() for each in waiting})
        for question in waiting:
            evidence, why = told[question.request.id], over[question.request.id]
            told_by = outcome(lifecycle.asked(question.request), evidence) if evidence is not None else None
            if isinstance(told_by, Answered):
                await self._end(question, told_by)
            elif why is not None:
                # Who answered, and how, is told by the session's file a little later.
                await self._end(question, Answered() if why == ELSEWHERE else why)

    async def _end(self, question: _Question, how: Answered | str) -> None:
        """Write down that a question needs no answer any more: how it was answered, or why."""
        request_id = question.request.id
        if isinstance(how, Answered):
            row = await asyncio.to_thread(self._ledger.answered, request_id, how)
        else:
            row = await asyncio.to_thread(self._ledger.withdraw, request_id, how)
        if isinstance(row, Refused):
            # Somebody was faster: what they decided is told at the next look.
            return
        self._settle(question, row)

    def renew_trust(self) -> str | None:
        """Trust whom those that were trusted before have let in since; what is wrong with the list, if something is.

        Reads a file; may be called from any thread.
        """
        with contextlib.suppress(ChorusError):
            self._approvers.extend(self._trust)
        return self._trust.tampering

    def _has_changed(self, request: Request) -> bool:
        """Whether the file of a plan is no longer what was shown and signed."""
        held = ((plan, [plan_file(each, plan.path) for each in self._folders]) for plan in request.plans if plan.path)
        return any(plan.text not in texts for plan, texts in held)

    def _settle(self, question: _Question, row: Row) -> None:
        if question.answered.done():
            return
        found = verdict(question.request, row, self._trust)
        if isinstance(found, Refused) and found.kind != "gone":
            log.logger.warning("a decision was not applied: %s", found.kind)
        is_elsewhere = row.state in (State.WITHDRAWN, State.ANSWERED)
        ending = Ending.ELSEWHERE if is_elsewhere else Ending.UNANSWERED
        if isinstance(found, Verdict) and found.behaviour == "allow" and self._has_changed(question.request):
            log.logger.warning("a decision was not applied: the plan changed after it was shown")
            found = None
        question.answered.set_result(found if isinstance(found, Verdict) else ending)
