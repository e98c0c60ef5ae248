"""Sends the client's requests to the permission ledger, and the decisions back."""

from collections.abc import Callable
from typing import Literal

from chorus.core.protocol import outgoing
from chorus.core.protocol.dialogue import Dialogue
from chorus.core.protocol.frames import PermissionRequest
from chorus.errors import ChorusError
from chorus.steer.approvals.model import TAMPERING
from chorus.steer.runs.approval_port import ApprovalPort, PermissionDecision
from chorus.steer.runs.messages import OpenRequest
from chorus.steer.runs.pipe_recorder import PipeRecorder

_NOBODY = "a wider mode needs an approver, and the run began without one: `chorus approver add`, then start it again"
_DENIED = "A person denied this in Chorus."


class RequestRelay:
    """Relays requests and decisions between the client and the ledger. Each request is answered at most once."""

    def __init__(
        self, approvals: ApprovalPort, dialogue: Dialogue, recorder: PipeRecorder, send: Callable[[bytes], None]
    ) -> None:
        self._approvals = approvals
        self._dialogue = dialogue
        self._recorder = recorder
        self._send = send
        self._ledger_ids: dict[str, str] = {}
        """Open requests: the client's id → the ledger's."""
        self._holder_requests: dict[str, tuple[PermissionRequest, Callable[[PermissionDecision], None]]] = {}
        """Requests of the holder itself, with the function that receives the decision."""
        self._unapplied: set[str] = set()
        """Allowed requests of the holder itself that the client has not confirmed yet."""
        self.on_allowed: Callable[[PermissionRequest, PermissionDecision], None] = lambda request, decision: None
        """Called before the client learns that something is allowed."""
        self.trouble = ""
        """Why the ledger cannot be read at the moment; empty if there is no problem."""

    @property
    def is_waiting(self) -> bool:
        return bool(self._ledger_ids)

    def ask(self, permission_request: PermissionRequest) -> None:
        """Stores a request for people to decide.

        If that fails, the client gets an error, which it treats as a denial.
        """
        try:
            self._ledger_ids[permission_request.request] = self._approvals.ask(
                permission_request, session=self._dialogue.session
            )
        except ChorusError as error:
            line = outgoing.fail(permission_request.request, f"Chorus could not ask anybody: {error}")
            self._dialogue.answer_sent(permission_request.request, "deny", line)
            self._recorder.note(type="unasked", request=permission_request.request, why=str(error))
            self._send(line)

    def ask_for_holder(self, permission_request: PermissionRequest, then: Callable[[PermissionDecision], None]) -> str:
        """Stores a request of the holder itself and returns its id in the ledger.

        Raises `ChorusError` if the request cannot be stored, or if nobody could approve it.
        """
        if not self._approvals.has_approvers:
            raise ChorusError(_NOBODY)
        ledger_id = self._approvals.ask(permission_request, session=self._dialogue.session)
        self._ledger_ids[permission_request.request] = ledger_id
        self._holder_requests[permission_request.request] = (permission_request, then)
        return ledger_id

    def report_tampering(self, request: str, why: str) -> None:
        """Records for good that something other than Chorus answered a request, or also answered it."""
        self._ledger_ids.pop(request, None)
        try:
            self._approvals.invalidate(request, f"{TAMPERING}{why}")
        except ChorusError as error:
            self._recorder.note(type="not-denounced", request=request, why=str(error))

    def close(self, why: str) -> None:
        """Ends the requests of the holder itself because the run has ended."""
        for request in list(self._holder_requests):
            del self._holder_requests[request]
            self.withdraw(request, why)
        for request in list(self._unapplied):
            self.failed(request, why)

    def withdraw(self, request: str, why: str) -> None:
        """Withdraws a request that is no longer open."""
        self._ledger_ids.pop(request, None)
        try:
            self._approvals.withdraw(request, why)
        except ChorusError as error:
            # The row becomes invalid when its asker is gone; no process can act on it.
            self._recorder.note(type="not-withdrawn", request=request, why=str(error))

    def took_effect(self, request: str) -> None:
        """Records that the client acted on the decision."""
        self._unapplied.discard(request)
        try:
            self._approvals.took_effect(request)
        except ChorusError as error:
            self._recorder.note(type="not-confirmed", request=request, why=str(error))

    def failed(self, request: str, why: str) -> None:
        """Records that the client did not act on the decision."""
        self._unapplied.discard(request)
        try:
            self._approvals.failed(request, why)
        except ChorusError as error:
            self._recorder.note(type="not-confirmed", request=request, why=str(error))

    def answered_elsewhere(self, request: str, behaviour: Literal["allow", "deny"] | None) -> None:
        """Records that the client got an answer from elsewhere."""
        self._ledger_ids.pop(request, None)
        try:
            self._approvals.answered_elsewhere(request, behaviour)
        except ChorusError as error:
            self._recorder.note(type="not-confirmed", request=request, why=str(error))

    def look(self) -> None:
        """Sends the client the decisions since the last call."""
        if not self._ledger_ids:
            return
        try:
            settled = self._approvals.settled()
        except ChorusError as error:
            # Nothing is allowed because of this; the next check may succeed.
            if str(error) != self.trouble:
                self._recorder.note(type="ledger", why=str(error))
            self.trouble = str(error)
            return
        self.trouble = ""
        for decision in settled:
            self._send_decision(decision)

    def open(self) -> list[OpenRequest]:
        """Returns the requests that people are asked to decide now."""
        return [
            OpenRequest(
                id=self._ledger_ids.get(permission_request.request, ""),
                tool=permission_request.tool,
                description=permission_request.description,
                agent=permission_request.agent,
            )
            for permission_request in [
                *self._dialogue.open_requests.values(),
                *(permission_request for permission_request, _ in self._holder_requests.values()),
            ]
        ]

    def _send_decision(self, decision: PermissionDecision) -> None:
        self._ledger_ids.pop(decision.request, None)
        if own := self._holder_requests.pop(decision.request, None):
            self._unapplied.add(decision.request)
            own[1](decision)
            return
        permission_request = self._dialogue.open_requests.get(decision.request)
        if permission_request is not None and decision.behaviour == "allow":
            self.on_allowed(permission_request, decision)
        line = None
        if decision.behaviour == "allow":
            line = outgoing.allow(decision.request, input_text=decision.input, suggestions=decision.suggestions)
        behaviour = "deny" if line is None else "allow"
        line = line or outgoing.deny(decision.request, decision.message or _DENIED)
        if self._dialogue.answer_sent(decision.request, behaviour, line) is not None:
            self._send(line)
