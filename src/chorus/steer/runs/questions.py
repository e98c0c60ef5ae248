"""The client's questions on their way to the ledger, and the decisions on their way back."""

from collections.abc import Callable
from typing import Literal

from chorus.core.protocol import outgoing
from chorus.core.protocol.dialogue import Dialogue
from chorus.core.protocol.frames import PermissionRequest
from chorus.errors import ChorusError
from chorus.steer.approvals.model import TAMPERING
from chorus.steer.runs.approval_port import Decided, Questions
from chorus.steer.runs.messages import Question
from chorus.steer.runs.pipe_recorder import Keeper

_NOBODY = "a wider mode needs an approver, and the run began without one: `chorus approver add`, then start it again"
_DENIED = "A person denied this in Chorus."


class Answering:
    """Asks people for the client, and tells the client what they decided: each question is answered once, or never."""

    def __init__(self, questions: Questions, dialogue: Dialogue, keeper: Keeper, say: Callable[[bytes], None]) -> None:
        self._questions = questions
        self._dialogue = dialogue
        self._keeper = keeper
        self._say = say
        self._rows: dict[str, str] = {}
        """Open questions: the client's id → the ledger's."""
        self._own: dict[str, tuple[PermissionRequest, Callable[[Decided], None]]] = {}
        """Questions of the holder itself, and what is done with the answers."""
        self.on_allowed: Callable[[PermissionRequest, Decided], None] = lambda asked, decision: None
        """Called before the client is told that something is allowed."""
        self.trouble = ""
        """Why the ledger cannot be read at present; empty when all is well."""

    @property
    def is_waiting(self) -> bool:
        return bool(self._rows)

    def ask(self, asked: PermissionRequest) -> None:
        """Put a question to people; where that cannot be, the client is told so, which it takes for a denial."""
        try:
            self._rows[asked.request] = self._questions.ask(asked, session=self._dialogue.session)
        except ChorusError as error:
            self._dialogue.answer_sent(asked.request)
            self._keeper.note(type="unasked", request=asked.request, why=str(error))
            self._say(outgoing.fail(asked.request, f"Chorus could not ask anybody: {error}"))

    def ask_for_us(self, asked: PermissionRequest, then: Callable[[Decided], None]) -> str:
        """Put a question of the holder's own to people; gives its id in the ledger. `ChorusError` when nobody can."""
        if not self._questions.has_approvers:
            raise ChorusError(_NOBODY)
        row = self._questions.ask(asked, session=self._dialogue.session)
        self._rows[asked.request] = row
        self._own[asked.request] = (asked, then)
        return row

    def denounce(self, request: str, why: str) -> None:
        """A question was answered by somebody else; its row says so for good."""
        self._rows.pop(request, None)
        try:
            self._questions.invalidate(request, f"{TAMPERING}{why}")
        except ChorusError as error:
            self._keeper.note(type="not-denounced", request=request, why=str(error))

    def close(self, why: str) -> None:
        """The run is over: what the holder itself asked is no longer open."""
        for request in list(self._own):
            del self._own[request]
            self.withdraw(request, why)

    def withdraw(self, request: str, why: str) -> None:
        """A question is no longer open."""
        self._rows.pop(request, None)
        try:
            self._questions.withdraw(request, why)
        except ChorusError as error:
            # The row becomes invalid when its asker is gone; it can be acted on by nobody.
            self._keeper.note(type="not-withdrawn", request=request, why=str(error))

    def took_effect(self, request: str) -> None:
        """The client acted on what it was told."""
        try:
            self._questions.took_effect(request)
        except ChorusError as error:
            self._keeper.note(type="not-confirmed", request=request, why=str(error))

    def answered_elsewhere(self, request: str, behaviour: Literal["allow", "deny"] | None) -> None:
        """Somebody else answered the client."""
        self._rows.pop(request, None)
        try:
            self._questions.answered_elsewhere(request, behaviour)
        except ChorusError as error:
            self._keeper.note(type="not-confirmed", request=request, why=str(error))

    def look(self) -> None:
        """Tell the client what was decided since the last time."""
        if not self._rows:
            return
        try:
            settled = self._questions.settled()
        except ChorusError as error:
            # Nothing is allowed by it; the next look may go better.
            if str(error) != self.trouble:
                self._keeper.note(type="ledger", why=str(error))
            self.trouble = str(error)
            return
        self.trouble = ""
        for decision in settled:
            self._tell(decision)

    def open(self) -> list[Question]:
        """The questions that people are asked now."""
        return [
            Question(
                id=self._rows.get(asked.request, ""),
                tool=asked.tool,
                description=asked.description,
                agent=asked.agent,
            )
            for asked in [*self._dialogue.open_requests.values(), *(asked for asked, _ in self._own.values())]
        ]

    def _tell(self, decision: Decided) -> None:
        self._rows.pop(decision.request, None)
        if own := self._own.pop(decision.request, None):
            own[1](decision)
            return
        asked = self._dialogue.open_requests.get(decision.request)
        if asked is not None and decision.behaviour == "allow":
            self.on_allowed(asked, decision)
        if self._dialogue.answer_sent(decision.request) is None:
            return
        answer = None
        if decision.behaviour == "allow":
            answer = outgoing.allow(decision.request, input_text=decision.input, suggestions=decision.suggestions)
        self._say(answer or outgoing.deny(decision.request, decision.message or _DENIED))
