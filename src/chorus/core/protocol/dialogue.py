"""Where a run stands: who waits for whom. Frames go in; what has to be done about them comes out.

A question counts only when it names a call of this very stream that has no result yet, by the name under which the
model called it, with an id that was never used before. Any other is refused, and the client told so.
"""

from collections import Counter
from typing import Literal, assert_never

from msgspec import Struct, structs

from chorus.core.protocol import frames, launch
from chorus.core.protocol.evidence import Evidence
from chorus.core.protocol.frames import Frame, ToolRequest

State = Literal["starting", "running", "requires_action", "idle"]
_MAX_REASONS = 20
_HOST = ("person",)
"""Who the client says let a call run when its host did."""
_NO_HOOK = ("person", "rule", "unknown")
"""A client that is answered elsewhere takes its question back; where it did not, only a hook can have been faster."""


class Ask(Struct, frozen=True):
    """A person is to be asked."""

    asked: ToolRequest


class Withdraw(Struct, frozen=True):
    """A question that was asked is no longer open."""

    request: str
    why: str


class Took(Struct, frozen=True):
    """The client acted on our answer."""

    request: str


class Elsewhere(Struct, frozen=True):
    """Somebody else answered a question; what we may have said came too late."""

    request: str
    behaviour: Literal["allow", "deny"] | None = None
    """None while nothing tells."""


class Refuse(Struct, frozen=True):
    """The client is to be told that its question or request is not answered."""

    request: str
    why: str


class Reload(Struct, frozen=True):
    """The client asks whether settings that were changed shall count."""

    request: str
    source: str
    path: str


class Tampered(Struct, frozen=True):
    """Somebody else speaks to the client in our place: the run cannot be trusted any more."""

    why: str
    request: str = ""
    """The question that was answered."""


class Done(Struct, frozen=True):
    """The client answered a request of ours."""

    request: str
    subtype: str
    body: str
    error: str | None


Effect = Ask | Withdraw | Took | Elsewhere | Refuse | Reload | Tampered | Done
ANSWERED_FOR_US = "a question was answered, and not by Chorus"


class Dialogue:
    """The state of one run's conversation with its client."""

    def __init__(self, session: str, mode: str | None = None) -> None:
        """`mode` is the one that the run was started in, if one was named."""
        self.session = session
        self.state: State = "starting"
        self.asked: dict[str, ToolRequest] = {}
        """Open questions of the client, by request."""
        self.queued: dict[str, str] = {}
        """Messages that were sent and that the client has not begun with: uuid → what they say."""
        self.refused: Counter[str] = Counter()
        """Lines that made nothing happen though they claimed to, by the reason."""
        self.turns = 0
        """How many turns have ended."""
        self.last: frames.Ended | None = None
        """How the last turn ended."""
        self.version = self.model = self.mode = ""
        """What the client says of itself."""
        self._answered: dict[str, ToolRequest] = {}
        """Questions that were answered and of which it is not known whether that took effect."""
        self._elsewhere: dict[str, ToolRequest] = {}
        """Questions that the client took back because somebody else answered them."""
        self._calls: dict[str, str] = {}
        self._plans: dict[str, str] = {}
        """What open calls say of a plan."""
        self._used: set[str] = set()
        """Every request id the client ever used."""
        self._ever_answered: set[str] = set()
        """Those of them that we answered."""
        self._widest = max(launch.width("default"), launch.width(mode) if mode else 0)
        """How wide a mode a person let it have."""
        self._has_opened = False
        self._ours: dict[str, str] = {}
        self._says_states = False

    @property
    def is_waiting(self) -> bool:
        """Whether a person has to answer before it goes on."""
        return bool(self.asked)

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to do: no turn, no question, no message that waits."""
        return self.state == "idle" and not self.asked and not self.queued

    def requests(self, request: str, subtype: str) -> None:
        """A request of ours goes out."""
        self._ours[request] = subtype

    def widens(self, mode: str) -> None:
        """An approver let it have this mode."""
        self._widest = max(self._widest, launch.width(mode))

    def sends(self, uuid: str, text: str) -> None:
        """A message goes out."""
        self.queued[uuid] = text
        if not self._says_states and self.state == "idle":
            self.state = "running"

    def answers(self, request: str) -> ToolRequest | None:
        """A question is answered, by us; None when it is not open."""
        self._ever_answered.add(request)
        asked = self.asked.pop(request, None)
        if asked is not None:
            self._answered[request] = asked
        return asked

    def hear(self, frame: Frame) -> list[Effect]:
        """Take a frame; gives what is to be done."""
        match frame:
            case frames.ToolRequest():
                return self._question(frame)
            case frames.Wanted():
                return self._request(frame)
            case frames.Reloads():
                return self._reload(frame)
            case frames.Cancelled():
                return self._cancelled(frame.request)
            case frames.Replied():
                return self._reply(frame)
            case frames.Called():
                if frame.session in (None, self.session):
                    self._calls.update(frame.calls)
                    self._plans.update(frame.plans)
            case frames.Returned():
                return self._results(frame)
            case frames.Opened():
                return self._open(frame)
            case frames.Reset():
                self.session = frame.session
            case frames.Moved():
                return self._move(frame.state)
            case frames.Turned():
                return self._turn(frame.mode)
            case frames.Stepped():
                if frame.state != "queued":
                    self.queued.pop(frame.uuid, None)
            case frames.Ended():
                self.turns += 1
                self.last = frame
                if not self._says_states:
                    self.state = "idle"
                    self.queued.clear()
            case frames.Spoke():
                pass
            case frames.Unheard():
                self._count(frame.reason)
            case _:
                assert_never(frame)
        return []

    def close(self, why: str) -> list[Effect]:
        """The client is gone: nothing can be answered any more."""
        self.queued.clear()
        return self._withdrawn(list(self.asked), why)

    def _question(self, frame: ToolRequest) -> list[Effect]:
        if frame.request in self._used:
            # An answer would go to the question that first had this id.
            self._count("a request id used before")
            return []
        self._used.add(frame.request)
        name = self._calls.get(frame.call)
        if name != frame.tool:
            why = "it names no open call of this run" if name is None else "it names the call of another tool"
            self._count(why)
            self._ever_answered.add(frame.request)
            return [Refuse(frame.request, f"Chorus did not ask anybody: {why}.")]
        asked = structs.replace(frame, plan=self._plans.get(frame.call))
        self.asked[frame.request] = asked
        return [Ask(asked)]

    def _request(self, frame: frames.Wanted) -> list[Effect]:
        if frame.request in self._used:
            self._count("a request id used before")
            return []
        self._used.add(frame.request)
        self._ever_answered.add(frame.request)
        self._count("a request nobody here serves")
        return [Refuse(frame.request, f"Chorus does not serve {frame.subtype!r}.")]

    def _reload(self, frame: frames.Reloads) -> list[Effect]:
        if frame.request in self._used:
            self._count("a request id used before")
            return []
        self._used.add(frame.request)
        self._ever_answered.add(frame.request)
        return [Reload(frame.request, frame.source, frame.path)]

    def _reply(self, frame: frames.Replied) -> list[Effect]:
        subtype = self._ours.pop(frame.request, None)
        if subtype is not None:
            return [Done(frame.request, subtype, frame.body, frame.error)]
        if frame.request in self._used and frame.request not in self._ever_answered:
            # The client repeats what it was told: this was told by somebody else.
            return self._tampered(frame.request)
        if frame.request not in self._used:
            self._count("an answer to nothing")
        return []

    def _results(self, frame: frames.Returned) -> list[Effect]:
        for call in frame.calls:
            self._calls.pop(call, None)
            self._plans.pop(call, None)
        told = dict(zip(frame.calls, frame.evidence, strict=False))
        effects: list[Effect] = []
        for request in [each for each, asked in self._answered.items() if asked.call in frame.calls]:
            evidence = told.get(self._answered.pop(request).call)
            # What a host answers, the client books as its user's word.
            is_ours = evidence is None or evidence.by != "hook"
            effects.append(Took(request) if is_ours else Elsewhere(request, _behaviour(evidence)))
        for some, proofs in ((self._elsewhere, _HOST), (self.asked, _NO_HOOK)):
            for request in [each for each, asked in some.items() if asked.call in frame.calls]:
                evidence = told.get(some[request].call) or Evidence("allow")
                is_tampering = evidence.behaviour == "allow" and evidence.by in proofs
                found = self._tampered(request) if is_tampering else []
                effects += found or [Elsewhere(request, evidence.behaviour)]
                some.pop(request, None)
        return effects

    def _tampered(self, request: str) -> list[Effect]:
        """A call ran, or an answer was heard, and neither we nor a hook of the client let it."""
        is_open = self.asked.pop(request, None) is not None or self._elsewhere.pop(request, None) is not None
        if not is_open or request in self._ever_answered:
            return []
        self._ever_answered.add(request)
        return [Tampered(ANSWERED_FOR_US, request)]

    def _cancelled(self, request: str) -> list[Effect]:
        """The client takes a question back: because of an interrupt, or because somebody else answered it."""
        if request in self.asked and "interrupt" in self._ours.values():
            return self._withdrawn([request], "the turn was interrupted")
        asked = self.asked.pop(request, None) or self._answered.pop(request, None)
        if asked is None:
            self._count("a question taken back that was not open")
            return []
        self._elsewhere[request] = asked
        return [Elsewhere(request)]

    def _withdrawn(self, requests: list[str], why: str) -> list[Effect]:
        known = [request for request in requests if self.asked.pop(request, None) is not None]
        if not known and requests:
            self._count("a question taken back that was not open")
        return [Withdraw(request, why) for request in known]

    def _open(self, frame: frames.Opened) -> list[Effect]:
        self.session = frame.session or self.session
        self.version, self.model = frame.version, frame.model
        if not self._says_states:
            self.state = "running"
        if not self._has_opened and frame.mode:
            # What the settings of the start say, where no mode was named.
            self._has_opened = True
            self.widens(frame.mode)
        return self._turn(frame.mode)

    def _turn(self, mode: str) -> list[Effect]:
        self.mode = mode
        if mode and launch.width(mode) > self._widest:
            self.widens(mode)
            return [Tampered(f"its permission mode became {mode[:40]}, and nobody let it")]
        return []

    def _move(self, state: str) -> list[Effect]:
        self._says_states = True
        was = self.state
        match state:
            case "running" | "requires_action" | "idle":
                self.state = state
            case _:
                self.state = "running"
        if was != "requires_action" or self.state != "running" or self.asked:
            return []
        # Nothing waits any more, and what somebody else had answered would have been taken back before.
        took = list(self._answered)
        self._answered.clear()
        return [Took(request) for request in took]

    def _count(self, reason: str) -> None:
        known = reason if reason in self.refused or len(self.refused) < _MAX_REASONS else "other"
        self.refused[known[:200]] += 1


def _behaviour(evidence: Evidence | None) -> Literal["allow", "deny"] | None:
    return None if evidence is None else evidence.behaviour
