"""Permission prompts in panes, for programs that have neither a control channel nor a hook of Chorus.

Where three sources agree (`steer/tmux/agreement.py`, `steer/tmux/flat_prompts.py`), what is asked becomes a request
like any other: rules may answer it, else a person. The answer is one key, sent once, right after everything was checked
again. What happened is read from the client's session file, or from the stream that the program prints.
"""

import secrets
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import assert_never

from msgspec import Struct

from chorus.core.records.times import wire_time
from chorus.errors import ChorusError
from chorus.keep.vault.keys import workspace_root
from chorus.show.recorder.outcomes import Outcomes
from chorus.show.server import log
from chorus.steer.approvals.approvers import ApproversFile
from chorus.steer.approvals.asking_process import this_process
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.model import Request, State
from chorus.steer.approvals.rules.rule_book import RuleBook
from chorus.steer.approvals.trust import Trust
from chorus.steer.approvals.verdict import Verdict, verdict
from chorus.steer.tmux.agreement import Agreement
from chorus.steer.tmux.client_prompts import ClientPrompts
from chorus.steer.tmux.pasting import press
from chorus.steer.tmux.prompt_source import AfterKey, Connections, PromptSource

DEADLINE_S = 3_600
STABLE_S = 1.5
"""How long the sources must agree before a request is made: a hook of Chorus asks within this time."""
OUTCOME_S = 10.0
"""How long the program may go on waiting after the key was sent; then the attempt has failed."""
CHANGED = "the prompt in the pane is not the same any more"


class _PaneRequest(Struct):
    request: Request
    agreement: Agreement
    source: PromptSource
    sent_at: float | None = None
    """When the key was sent, by the monotonic clock."""


class PaneRequests:
    """The requests that this server made for prompts in panes. One thread uses it. A key names a prompt."""

    def __init__(
        self,
        ledger: Ledger,
        trust: Trust,
        approvers: ApproversFile,
        rules: RuleBook,
        folders: Iterable[Path],
        *,
        name_of: Callable[[str], str | None],
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        """`folders` are client folders. `name_of` returns the conversation of a session if it is recorded already."""
        self._ledger = ledger
        self._trust = trust
        self._approvers = approvers
        self._rules = rules
        folders = list(folders)
        self.sources: list[PromptSource] = [ClientPrompts(folders)]
        """The kinds of prompts that are answered."""
        self._outcomes = Outcomes(ledger, folders)
        self._name_of = name_of
        self._ticks = ticks
        self._since: dict[str, tuple[Agreement, float]] = {}
        """Since when the sources agree about a prompt."""
        self._open: dict[str, _PaneRequest] = {}
        self._spent: set[tuple[tuple[str, str], str, str]] = set()
        """Panes, sessions and calls for which a key was sent: there is no second one."""
        self._unruled: set[tuple[tuple[str, str], str, str]] = set()
        """The same for answers of rules that failed before the key: a person is asked, not the rules once more."""

    @property
    def is_waiting(self) -> bool:
        """Whether a decision may come at any time."""
        return bool(self._open)

    def look(self, connections: Connections) -> None:
        """Makes requests where the sources agree, and withdraws those for which they do not any more."""
        prompts: set[str] = set()
        for source in self.sources:
            found = source.look(connections)
            prompts |= found.keys()
            for key, each in found.items():
                self._compare(key, each, source)
        self._follow_up()
        for key in [each for each in self._open if each not in prompts]:
            if self._open[key].sent_at is None:
                self._withdraw(key)
        self._since = {key: each for key, each in self._since.items() if key in prompts}

    def step(self, connections: Connections) -> None:
        """Acts on decisions that were made since the last call."""
        for key, known in list(self._open.items()):
            row = self._ledger.row(known.request.id)
            if row is None or row.is_pending or known.sent_at is not None:
                continue
            if row.state not in (State.APPROVED, State.DENIED):
                del self._open[key]
                continue
            self._approvers.extend(self._trust)
            found = verdict(known.request, row, self._trust)
            if not isinstance(found, Verdict):
                log.logger.warning("a decision was not applied to a pane")
                self._fail(key, "the decision has no valid signature")
                continue
            try:
                self._answer(key, known, found, connections)
            except ChorusError as error:
                self._fail(key, str(error))

    def close(self) -> None:
        """Withdraws what nobody has answered: no other process can send the key."""
        for key in [each for each, known in self._open.items() if known.sent_at is None]:
            self._withdraw(key, "the server has ended")

    def _compare(self, key: str, found: Agreement | str, source: PromptSource) -> None:
        known = self._open.get(key)
        if known is not None and known.sent_at is None and found != known.agreement:
            self._withdraw(key)
        elif isinstance(found, Agreement) and known is None:
            self._consider(key, found, source)
        elif not isinstance(found, Agreement):
            self._since.pop(key, None)

    def _consider(self, key: str, found: Agreement, source: PromptSource) -> None:
        """Makes a request if the sources have agreed for a while and nobody else asks for this session."""
        now = self._ticks()
        before = self._since.get(key)
        if before is None or before[0] != found:
            self._since[key] = found, now
            return
        if now - before[1] < STABLE_S or _identity(found) in self._spent:
            return
        if any(row.request.session == found.session for row in self._ledger.pending()):
            return
        request = self._request(found)
        row = self._ledger.ask(request, None if _identity(found) in self._unruled else self._rules.decide)
        if row.state is not State.INVALID:
            self._open[key] = _PaneRequest(request, found, source)

    def _request(self, found: Agreement) -> Request:
        now, call = datetime.now(UTC), found.call
        conversation = self._name_of(found.session)
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
            conversation=conversation,
            tool_use=call.id,
            root=workspace_root(call.cwd, conversation),
            deadline_at=wire_time(now + timedelta(seconds=DEADLINE_S)),
        )

    def _answer(self, key: str, known: _PaneRequest, found: Verdict, connections: Connections) -> None:
        """Sends the key for a decision, if nothing has changed since the request was made."""
        agreement = known.agreement
        if found.input is not None or found.suggestions:
            self._fail(key, "a pane takes only yes or no: the input and the rules cannot be changed there")
            return
        now, sight = known.source.again(agreement, connections)
        connection = connections.get(Path(agreement.pane[0]))
        if now != agreement or sight is None or connection is None:
            self._fail(key, CHANGED)
            return
        pressed = agreement.keys.allow if found.behaviour == "allow" else agreement.keys.deny
        # From here on there is no second try, whatever happens.
        self._spent.add(_identity(agreement))
        known.source.sent(agreement)
        if not press(connection, agreement.pane[1], pressed, sight.unchanged):
            self._fail(key, CHANGED)
            return
        known.sent_at = self._ticks()

    def _follow_up(self) -> None:
        """Ends requests whose key was sent: with what the program did, or because the attempt has failed."""
        if any(known.sent_at is not None for known in self._open.values()):
            self._outcomes.look()
        for key, known in list(self._open.items()):
            if known.sent_at is None:
                continue
            row = self._ledger.row(known.request.id)
            if row is None or not row.is_open:
                del self._open[key]
                continue
            match known.source.after_key(known.agreement):
                case AfterKey.ACTED:
                    self._ledger.took_effect(known.request.id)
                    del self._open[key]
                case AfterKey.ASKS_AGAIN as what:
                    self._fail(key, what.value)
                case (AfterKey.WAITS | AfterKey.GONE) as what:
                    if self._ticks() - known.sent_at > OUTCOME_S:
                        self._fail(key, what.value)
                case AfterKey.GOES_ON:
                    pass
                case unreachable:
                    assert_never(unreachable)

    def _withdraw(self, key: str, why: str = CHANGED) -> None:
        known = self._open.pop(key)
        self._since.pop(key, None)
        self._ledger.withdraw(known.request.id, why)

    def _fail(self, key: str, why: str) -> None:
        known = self._open.pop(key)
        self._since.pop(key, None)
        self._unruled.add(_identity(known.agreement))
        self._ledger.failed(known.request.id, why)


def _identity(agreement: Agreement) -> tuple[tuple[str, str], str, str]:
    """Returns what one key is sent for: the pane, the session and the call."""
    return agreement.pane, agreement.session, agreement.call.id
