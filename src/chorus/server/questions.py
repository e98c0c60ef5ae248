"""The questions that hooks of this server wait for, and how each ends: by a decision, or in the terminal."""

import asyncio
import contextlib
import time
from collections.abc import Iterable
from enum import Enum
from pathlib import Path

from msgspec import Struct

from chorus.approvals.approvers import ApproversFile
from chorus.approvals.ledger import Ledger
from chorus.approvals.machine import Refused
from chorus.approvals.model import Request, Row, State
from chorus.approvals.trust import Trust
from chorus.approvals.verdict import Verdict, verdict
from chorus.errors import ChorusError
from chorus.server import log
from chorus.server.answered import IN_TERMINAL, TerminalSigns
from chorus.server.present import Present
from chorus.sessions.calls import AskedCall

DEADLINE_S = 540
"""A minute before the client would end the hook."""
BEHIND_S = 120
"""For sub-agents of a client in a terminal: it shows their prompts only after their hooks have ended, so whoever sits
there is not to be kept from answering for long."""
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
        self, ledger: Ledger, trust: Trust, approvers: ApproversFile, present: Present, folders: Iterable[Path]
    ) -> None:
        """`trust` is pinned when the server starts: nobody who is added by an agent later can approve."""
        self._ledger = ledger
        self._trust = trust
        self._approvers = approvers
        self._present = present
        self._folders = list(folders)
        self._open: dict[str, _Question] = {}
        self._wake = asyncio.Event()
        self._looks = 0
        """The last look at the registry that was thought about; files are looked at as often."""

    def deadline_s(self, session: str, agent: str | None) -> int:
        """How long a question may wait for its answer here."""
        running = self._present.entries.get(session)
        is_behind = agent is not None and running is not None and running.entrypoint == "cli"
        return BEHIND_S if is_behind else DEADLINE_S

    def call_of(self, request: Request) -> AskedCall:
        """The call that is asked about, as it stands before anybody can answer; reads a file."""
        call = AskedCall(self._folders, request.session, request.agent, request.tool, request.input)
        call.has_result()
        return call

    def put(self, request: Request, row: Row, call: AskedCall) -> "asyncio.Future[Answer]":
        """Wait for the answer to a request that is in the ledger; the future has it at once if it is settled."""
        answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        # A client shows the prompt of a sub-agent only when its hook has ended: until then its word is about others.
        signs = TerminalSigns(int(time.time() * 1_000), has_prompt=request.agent is None)
        question = _Question(request, answered, signs, call, self._present.looks)
        if row.is_pending:
            self._open[request.id] = question
            self._wake.set()
        else:
            self._settle(question, row)
        return answered

    def drop(self, request_id: str) -> None:
        """Nobody waits any more."""
        self._open.pop(request_id, None)

    async def run(self) -> None:
        """Watch until cancelled. What fails is tried again: a question outlives a full disk."""
        while True:
            if not self._open:
                self._wake.clear()
                await self._wake.wait()
            try:
                await self._look()
            except ChorusError as error:
                log.logger.error("the ledger cannot be read: %s", type(error).__name__)
                await asyncio.sleep(WAIT_S)
            except Exception as error:  # noqa: BLE001 - one question must not silence all others
                log.failure("QUESTIONS", "", error)
                await asyncio.sleep(WAIT_S)

    async def _look(self) -> None:
        ids = list(self._open)
        for row in await asyncio.to_thread(self._ledger.wait, ids, WAIT_S):
            question = self._open.get(row.id)
            if question is not None:
                await asyncio.to_thread(self.renew_trust)
                self._settle(question, row)
        await asyncio.to_thread(self._ledger.expire_due)
        if self._present.looks == self._looks:
            return
        self._looks = self._present.looks
        waiting = [each for each in self._open.values() if each.looks < self._looks]
        seen = {each.request.id: self._present.entries.get(each.request.session) for each in waiting}
        over = {each.request.id: each.signs.see(seen[each.request.id]) for each in waiting}
        done = await asyncio.to_thread(lambda: {each.request.id for each in waiting if each.call.has_result()})
        for question in waiting:
            why = over[question.request.id] or (IN_TERMINAL if question.request.id in done else None)
            if why is not None:
                await self._withdraw(question, why)

    async def _withdraw(self, question: _Question, why: str) -> None:
        row = await asyncio.to_thread(self._ledger.withdraw, question.request.id, why)
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

    def _settle(self, question: _Question, row: Row) -> None:
        if question.answered.done():
            return
        found = verdict(question.request, row, self._trust)
        if isinstance(found, Refused) and found.kind != "gone":
            log.logger.warning("a decision was not applied: %s", found.kind)
        ending = Ending.ELSEWHERE if row.state is State.WITHDRAWN else Ending.UNANSWERED
        question.answered.set_result(found if isinstance(found, Verdict) else ending)
