"""The state of a run: who waits for whom. Takes frames and returns the effects that the caller has to carry out.

A permission request is valid only if it names a call of this stream that has no result yet, with the name of the tool
that the model called, and with a request id that was never used before. Any other request is refused, and the client is
informed.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Literal, assert_never

from msgspec import Struct, structs

from chorus.core.protocol import frames, launch
from chorus.core.protocol.evidence import Evidence
from chorus.core.protocol.frames import Frame, PermissionRequest
from chorus.core.protocol.sent_answers import Behaviour, SentAnswer, body_of, is_repeated, judge

State = Literal["starting", "running", "requires_action", "idle"]
_MAX_REASONS = 20
_INTERRUPTED = "the turn was interrupted"
_HOST_ORIGINS = ("person",)
"""Origins of a decision that prove that the host decided, in the client's records."""
_ORIGINS_BUT_HOOK = ("person", "rule", "unknown")
"""Origins that prove tampering if a request is still open. A client that got its decision elsewhere withdraws the
request; only a hook can decide before it does."""


class Ask(Struct, frozen=True):
    """Ask a person for a decision."""

    permission_request: PermissionRequest


class Withdraw(Struct, frozen=True):
    """A request that was shown to people is no longer open."""

    request: str
    why: str


class TookEffect(Struct, frozen=True):
    """The client acted on our decision."""

    request: str


class Failed(Struct, frozen=True):
    """The client will not act on our decision."""

    request: str
    why: str


class AnsweredElsewhere(Struct, frozen=True):
    """Somebody else answered a request. If we answered it too, our decision came too late."""

    request: str
    behaviour: Literal["allow", "deny"] | None = None
    """None while it is not known."""


class Refuse(Struct, frozen=True):
    """Inform the client that its request is not served."""

    request: str
    why: str


class CheckSettings(Struct, frozen=True):
    """The client asks whether changed settings may take effect."""

    request: str
    source: str
    path: str


class ReportEdit(Struct, frozen=True):
    """The client reported a moment at which files may change. It waits for an answer that decides nothing."""

    request: str
    payload: str


class Tampered(Struct, frozen=True):
    """Somebody else sends messages to the client in our place. The run can no longer be trusted."""

    why: str
    request: str = ""
    """The request that was answered."""


class ResponseReceived(Struct, frozen=True):
    """The client answered one of our requests."""

    request: str
    subtype: str
    body: str
    error: str | None


Effect = (
    Ask
    | Withdraw
    | TookEffect
    | Failed
    | AnsweredElsewhere
    | Refuse
    | CheckSettings
    | ReportEdit
    | Tampered
    | ResponseReceived
)
ANSWERED_FOR_US = "a permission request was answered, but not by Chorus"


class Dialogue:
    """The state of the exchange between one run and its client."""

    def __init__(self, session: str, mode: str | None = None) -> None:
        """`mode` is the permission mode that the run was started with, if one was given."""
        self.session = session
        self.state: State = "starting"
        self.open_requests: dict[str, PermissionRequest] = {}
        """Open permission requests of the client, by request id."""
        self.queued: dict[str, str] = {}
        """Messages that were sent and that the client has not started to process: uuid → text."""
        self.refused: Counter[str] = Counter()
        """Number of lines that were rejected, by reason."""
        self.turns = 0
        """Number of turns that have ended."""
        self.last: frames.TurnEnded | None = None
        """How the last turn ended."""
        self.version = self.model = self.mode = ""
        """What the client reports about itself."""
        self._answered: dict[str, PermissionRequest] = {}
        """Requests that were answered while it is not known whether the decision took effect."""
        self._elsewhere: dict[str, PermissionRequest] = {}
        """Requests that the client withdrew because somebody else answered them."""
        self._calls: dict[str, str] = {}
        self._plans: dict[str, str] = {}
        """The plans in open calls."""
        self._used_ids: set[str] = set()
        """Every request id that the client has used."""
        self._ever_answered: set[str] = set()
        """Those of them that we answered."""
        self._sent: dict[str, SentAnswer] = {}
        """The answers that were sent to permission requests."""
        self._widest = max(launch.width("default"), launch.width(mode) if mode else 0)
        """The width of the widest permission mode that a person allowed."""
        self._has_started = False
        self._own_requests: dict[str, str] = {}
        self._reports_states = False

    @property
    def is_waiting(self) -> bool:
        """Whether a person has to decide before the run continues."""
        return bool(self.open_requests)

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to do: no turn, no open request, no queued message."""
        return self.state == "idle" and not self.open_requests and not self.queued

    def request_sent(self, request: str, subtype: str) -> None:
        """Registers a request that is sent to the client."""
        self._own_requests[request] = subtype

    def mode_allowed(self, mode: str) -> None:
        """Registers that an approver allowed this permission mode."""
        self._widest = max(self._widest, launch.width(mode))

    def message_sent(self, uuid: str, text: str) -> None:
        """Registers a message that is sent to the client."""
        self.queued[uuid] = text
        if not self._reports_states and self.state == "idle":
            self.state = "running"

    def answer_sent(self, request: str, behaviour: Behaviour, line: bytes) -> PermissionRequest | None:
        """Registers our answer to a request, and its line.

        Returns the request; None if it is not open: then the answer must not be sent.
        """
        self._ever_answered.add(request)
        permission_request = self.open_requests.pop(request, None)
        if permission_request is not None:
            self._answered[request] = permission_request
            asked = permission_request
            self._sent[request] = SentAnswer(asked.call, behaviour, body_of(line), asked.input)
        return permission_request

    def receive(self, frame: Frame) -> list[Effect]:
        """Processes a frame. Returns the effects to carry out."""
        match frame:
            case frames.PermissionRequest():
                return self._on_permission_request(frame)
            case frames.OtherRequest():
                return self._on_other_request(frame)
            case frames.SettingsChange():
                return self._on_settings_change(frame)
            case frames.HookCall():
                return self._on_hook_call(frame)
            case frames.RequestCancelled():
                return self._on_cancelled(frame.request)
            case frames.Response():
                return self._on_response(frame)
            case frames.ToolCalls():
                if frame.session in (None, self.session):
                    self._calls.update(frame.calls)
                    self._plans.update(frame.plans)
            case frames.ToolResults():
                return self._on_results(frame)
            case frames.TurnStarted():
                return self._on_turn_started(frame)
            case frames.SessionReset():
                self.session = frame.session
            case frames.StateChanged():
                return self._on_state(frame.state)
            case frames.ModeChanged():
                return self._on_mode(frame.mode)
            case frames.MessageState():
                if frame.state != "queued":
                    self.queued.pop(frame.uuid, None)
            case frames.TurnEnded():
                self.turns += 1
                self.last = frame
                if not self._reports_states:
                    self.state = "idle"
                    self.queued.clear()
            case frames.OtherLine():
                pass
            case frames.RejectedLine():
                self._count(frame.reason)
            case _:
                assert_never(frame)
        return []

    def close(self, why: str) -> list[Effect]:
        """Ends the dialogue, because the client has ended. Returns the withdrawal of all open requests."""
        self.queued.clear()
        return self._withdraw(list(self.open_requests), why)

    def _on_permission_request(self, frame: PermissionRequest) -> list[Effect]:
        if frame.request in self._used_ids:
            # An answer would go to the first request with this id.
            self._count("a request id that was used before")
            return []
        self._used_ids.add(frame.request)
        name = self._calls.get(frame.call)
        if name != frame.tool:
            why = "it names no open call of this run" if name is None else "it names the call of another tool"
            self._count(why)
            self._ever_answered.add(frame.request)
            return [Refuse(frame.request, f"Chorus asked nobody: {why}.")]
        permission_request = structs.replace(frame, plan=self._plans.get(frame.call))
        self.open_requests[frame.request] = permission_request
        return [Ask(permission_request)]

    def _on_other_request(self, frame: frames.OtherRequest) -> list[Effect]:
        if frame.request in self._used_ids:
            self._count("a request id that was used before")
            return []
        self._used_ids.add(frame.request)
        self._ever_answered.add(frame.request)
        self._count("a request that Chorus does not serve")
        return [Refuse(frame.request, f"Chorus does not serve {frame.subtype!r}.")]

    def _on_settings_change(self, frame: frames.SettingsChange) -> list[Effect]:
        if frame.request in self._used_ids:
            self._count("a request id that was used before")
            return []
        self._used_ids.add(frame.request)
        self._ever_answered.add(frame.request)
        return [CheckSettings(frame.request, frame.source, frame.path)]

    def _on_hook_call(self, frame: frames.HookCall) -> list[Effect]:
        if frame.request in self._used_ids:
            self._count("a request id that was used before")
            return []
        self._used_ids.add(frame.request)
        self._ever_answered.add(frame.request)
        return [ReportEdit(frame.request, frame.payload)]

    def _on_response(self, frame: frames.Response) -> list[Effect]:
        subtype = self._own_requests.pop(frame.request, None)
        if subtype is not None:
            return [ResponseReceived(frame.request, subtype, frame.body, frame.error)]
        if frame.request in self._used_ids and frame.request not in self._ever_answered:
            # The client echoes the responses that it receives: this one was sent by somebody else.
            return self._tampered(frame.request)
        sent = self._sent.get(frame.request)
        if sent is not None and not is_repeated(sent, frame.body):
            del self._sent[frame.request]
            return [Tampered(ANSWERED_FOR_US, frame.request)]
        if frame.request not in self._used_ids:
            self._count("a response without a request")
        return []

    def _on_results(self, frame: frames.ToolResults) -> list[Effect]:
        for call in frame.calls:
            self._calls.pop(call, None)
            self._plans.pop(call, None)
        evidence_by_call = dict(zip(frame.calls, frame.evidence, strict=False))
        effects: list[Effect] = []
        for request in [each for each, sent in self._sent.items() if sent.call in frame.calls]:
            sent = self._sent.pop(request)
            evidence = evidence_by_call.get(sent.call)
            finding = judge(sent, evidence)
            if finding == "tampering":
                effects.append(Tampered(ANSWERED_FOR_US, request))
            if self._answered.pop(request, None) is not None:
                is_ours = finding == "ours"
                effects.append(TookEffect(request) if is_ours else AnsweredElsewhere(request, _behaviour(evidence)))
        # Of those that are left, the client repeated an answer of somebody else.
        overruled = {each: self._answered.pop(each) for each in self._about(self._answered, frame.calls)}
        effects += [
            AnsweredElsewhere(request, _behaviour(evidence_by_call.get(pending.call)))
            for request, pending in overruled.items()
        ]
        for some, origins in ((self._elsewhere, _HOST_ORIGINS), (self.open_requests, _ORIGINS_BUT_HOOK)):
            for request in self._about(some, frame.calls):
                evidence = evidence_by_call.get(some[request].call) or Evidence("allow")
                is_tampering = evidence.behaviour == "allow" and evidence.by in origins
                found = self._tampered(request) if is_tampering else []
                effects += found or [AnsweredElsewhere(request, evidence.behaviour)]
                some.pop(request, None)
        return effects

    @staticmethod
    def _about(requests: dict[str, PermissionRequest], calls: Sequence[str]) -> list[str]:
        """Returns the requests that are about one of these calls."""
        return [request for request, pending in requests.items() if pending.call in calls]

    def _tampered(self, request: str) -> list[Effect]:
        """Handles a call that ran, or an echoed response, that neither we nor a hook of the client allowed."""
        is_open = self.open_requests.pop(request, None) is not None or self._elsewhere.pop(request, None) is not None
        if not is_open or request in self._ever_answered:
            return []
        self._ever_answered.add(request)
        return [Tampered(ANSWERED_FOR_US, request)]

    def _on_cancelled(self, request: str) -> list[Effect]:
        """Handles a request that the client withdraws after an interrupt, or because somebody else answered it."""
        if "interrupt" in self._own_requests.values():
            if request in self.open_requests:
                return self._withdraw([request], _INTERRUPTED)
            if self._answered.pop(request, None) is not None:
                # The interrupt was faster than our answer.
                self._sent.pop(request, None)
                return [Failed(request, _INTERRUPTED)]
        permission_request = self.open_requests.pop(request, None) or self._answered.pop(request, None)
        if permission_request is None:
            self._count("a withdrawn request that was not open")
            return []
        self._elsewhere[request] = permission_request
        return [AnsweredElsewhere(request)]

    def _withdraw(self, requests: list[str], why: str) -> list[Effect]:
        known = [request for request in requests if self.open_requests.pop(request, None) is not None]
        if not known and requests:
            self._count("a withdrawn request that was not open")
        return [Withdraw(request, why) for request in known]

    def _on_turn_started(self, frame: frames.TurnStarted) -> list[Effect]:
        self.session = frame.session or self.session
        self.version, self.model = frame.version, frame.model
        if not self._reports_states:
            self.state = "running"
        if not self._has_started and frame.mode:
            # If no mode was given, the settings at the start determine it.
            self._has_started = True
            self.mode_allowed(frame.mode)
        return self._on_mode(frame.mode)

    def _on_mode(self, mode: str) -> list[Effect]:
        self.mode = mode
        if mode and launch.width(mode) > self._widest:
            self.mode_allowed(mode)
            return [Tampered(f"its permission mode became {mode[:40]}, and nobody allowed it")]
        return []

    def _on_state(self, state: str) -> list[Effect]:
        self._reports_states = True
        previous = self.state
        match state:
            case "running" | "requires_action" | "idle":
                self.state = state
            case _:
                self.state = "running"
        if previous != "requires_action" or self.state != "running" or self.open_requests:
            return []
        # No request is open any more, and the client would have withdrawn a request that somebody else answered.
        answered = [request for request in self._answered if request in self._sent]
        for request in answered:
            del self._answered[request]
        return [TookEffect(request) for request in answered]

    def _count(self, reason: str) -> None:
        known = reason if reason in self.refused or len(self.refused) < _MAX_REASONS else "other"
        self.refused[known[:200]] += 1


def _behaviour(evidence: Evidence | None) -> Literal["allow", "deny"] | None:
    return None if evidence is None else evidence.behaviour
