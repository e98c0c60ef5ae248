"""What the ledger holds: requests, decisions, and the row that is made of both. Pure data, camelCase on disk.

Texts are a stranger's and exact: an input is the JSON text that arrived, never written anew, because what a person saw
must be what runs.
"""

import hashlib
import re
from enum import StrEnum
from typing import Literal

import msgspec
from msgspec import Raw, Struct, field

from chorus.core.records.scan import MAX_DEPTH, nests_deeper

Source = Literal["control", "hook", "prompt-tool"]
"""The channel that a request came by; nothing else makes one."""
Behaviour = Literal["allow", "deny"]

LONGEST_INPUT = 4 << 20
"""Characters of an input; more than that nobody can judge."""
LONGEST_MESSAGE = 20_000
LONGEST_TEXT = 10_000
"""Characters of any other text of a request."""
MAX_SUGGESTIONS = 100
_REFUSALS = (msgspec.DecodeError, UnicodeError, RecursionError)
_ID = re.compile("[0-9a-f]{32}")
_DIGEST_OF = b"chorus request 1\n"


TAMPERING = "TAMPERING: "
"""How the note of a row begins whose run was tampered with."""


class State(StrEnum):
    """Where a row stands. Nothing but the truth about what happened elsewhere may still follow all but the first."""

    PENDING = "pending"
    APPROVED = "approved"
    """A person allowed it through Chorus; `Row.effect` says whether that reached the client in time."""
    DENIED = "denied"
    """Likewise."""
    ANSWERED = "answered"
    """Answered, but not by a decision of this ledger: in the terminal, by another hook, by a rule."""
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    INVALID = "invalid"


Effect = Literal["sent", "took_effect"]
"""What became of a decision: it is on its way to the client, or the client acted on it."""
Where = Literal["terminal", "elsewhere"]


class Answered(Struct, frozen=True, rename="camel"):
    """How a request was answered without a decision of this ledger."""

    behaviour: Behaviour | None = field(name="behavior", default=None)
    """None while nothing tells."""
    where: Where = "elsewhere"

    @property
    def words(self) -> str:
        """`answered in the terminal: allowed`"""
        place = "in the terminal" if self.where == "terminal" else "elsewhere"
        how = {"allow": ": allowed", "deny": ": denied", None: ""}[self.behaviour]
        return f"answered {place}{how}"


class Asker(Struct, frozen=True):
    """The process that waits for the answer. A number alone may be given to another process later."""

    pid: int
    started_at: str
    """As the system tells it; equal only for the same process. See `processes.this_process`."""


class Plan(Struct, frozen=True):
    """A plan that a request is about and does not say itself."""

    text: str
    path: str = ""
    """Of the file that holds it; empty for what the agent's call says."""


class Request(Struct, frozen=True, kw_only=True, rename="camel"):
    """A question to a person."""

    id: str
    """32 hex digits, random, made by the asker: an answer to another id is no answer."""
    source: Source
    key: str
    """What makes it the same question when it is asked again: run and request, or session and digest."""
    session: str
    tool: str
    input: str
    """The JSON text of the input as it was received."""
    cwd: str
    created_at: str
    asker: Asker
    conversation: str | None = None
    """The vault's name of it: workspace/agent/conversation."""
    run: str | None = None
    agent: str | None = None
    """The sub-agent that asks."""
    tool_use: str | None = None
    suggestions: list[str] = field(default_factory=list)
    """The JSON texts of the changes of rules that the client offers."""
    description: str | None = None
    deadline_at: str | None = None
    plans: list[Plan] = field(default_factory=list)
    """Where the client asks about a plan without saying it: what was found of it, as the person sees it."""


class Decision(Struct, frozen=True, kw_only=True, rename="camel"):
    """An answer."""

    behaviour: Behaviour = field(name="behavior")
    at: str
    """When it was made, by the clock of who made it."""
    surface: str
    """Where it was made: `page`, `terminal`, `api`, `hook`."""
    message: str = ""
    input: str | None = None
    """The JSON text to run instead of what was asked for."""
    suggestions: list[int] = field(default_factory=list)
    """Which suggestions to take along, by their place, in order."""
    approver: str | None = None
    signature: str | None = None
    """Of `signing.signed_bytes`, base64url."""


class Row(Struct, frozen=True, kw_only=True, rename="camel"):
    """One request and what became of it."""

    request: Request
    digest: str
    state: State = State.PENDING
    decision: Decision | None = None
    """What was sent; where the state is `answered`, it came too late."""
    effect: Effect | None = None
    """What became of the decision; None where there is none, and where an older Chorus wrote it."""
    answered: Answered | None = None
    """What really happened, where that was not by a decision of this ledger."""
    settled_at: str | None = None
    latency_ms: int | None = None
    note: str | None = None
    """Why it is invalid or withdrawn, how it was answered elsewhere, or what is odd about it."""

    @property
    def id(self) -> str:
        return self.request.id

    @property
    def is_pending(self) -> bool:
        return self.state is State.PENDING

    @property
    def is_open(self) -> bool:
        """Whether it is over here and not known what really became of it."""
        return is_open(self.state, self.effect, self.answered)


def is_open(state: State, effect: Effect | None, answered: Answered | None) -> bool:
    """Whether what really happened may still have to be written down."""
    match state:
        case State.APPROVED | State.DENIED:
            return effect == "sent"
        case State.ANSWERED:
            return answered is None or answered.behaviour is None
        case State.PENDING:
            return False
        case _:
            return True


def digest_of(request: Request) -> str:
    """SHA-256 (hex) over all that the answer depends on: who asks, where, for what, and what is offered beside it.

    Each text as `<bytes>:<text>`, absence as `-`; the suggestions after their number, and so the plans, if there are.
    """
    texts = (
        request.source,
        request.session,
        request.run,
        request.agent,
        request.tool,
        request.input,
        request.cwd,
        request.tool_use,
        request.description,
    )
    counted = (str(len(request.suggestions)), *request.suggestions)
    planned = (str(len(request.plans)), *(part for plan in request.plans for part in (plan.path, plan.text)))
    told = (*texts, *counted, *(planned if request.plans else ()))
    return hashlib.sha256(_DIGEST_OF + b"".join(map(_prefixed, told))).hexdigest()


def unfit_request(request: Request) -> str | None:
    """Why a request can neither be kept nor shown; None when it can."""
    if not is_id(request.id):
        return "its id is not 32 hex digits"
    if len(request.input) > LONGEST_INPUT or len(request.suggestions) > MAX_SUGGESTIONS:
        return "it is too long to be judged by a person"
    others = (request.key, request.session, request.tool, request.cwd, request.conversation, request.run)
    texts = (*others, request.agent, request.tool_use, request.description, *request.suggestions)
    if any(text is not None and len(text) > LONGEST_TEXT for text in texts):
        return "it is too long to be judged by a person"
    if sum(len(plan.text) + len(plan.path) for plan in request.plans) > LONGEST_INPUT:
        return "it is too long to be judged by a person"
    if not is_object(request.input):
        return "its input is not a JSON object"
    if not all(map(is_object, request.suggestions)):
        return "a suggestion is not a JSON object"
    return None if _is_encodable(request) else "it holds half a character"


def unfit_decision(request: Request, decision: Decision) -> str | None:
    """Why a decision makes no sense for the request; None when it does."""
    chosen = decision.suggestions
    if len(set(chosen)) != len(chosen) or not all(0 <= each < len(request.suggestions) for each in chosen):
        return "it takes suggestions that there are not, or takes one twice"
    if decision.behaviour == "deny" and (chosen or decision.input is not None):
        return "a denial changes neither the input nor rules"
    if decision.input is not None and (len(decision.input) > LONGEST_INPUT or not is_object(decision.input)):
        return "the changed input is not a JSON object, or is too long"
    if len(decision.message) > LONGEST_MESSAGE or len(decision.surface) > LONGEST_TEXT:
        return "its message is too long"
    return None if _is_encodable(decision) else "it holds half a character"


def is_object(text: str) -> bool:
    """Whether the text is one JSON object, no deeper than every Python goes: a request is the same to all readers."""
    try:
        is_one = isinstance(_object.decode(text), dict)
    except _REFUSALS:
        return False
    return is_one and not nests_deeper(text.encode("utf-8", "replace"), MAX_DEPTH)


def is_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None


def _is_encodable(value: Struct) -> bool:
    try:
        msgspec.json.encode(value)
    except (UnicodeError, msgspec.EncodeError):
        return False
    return True


def _prefixed(text: str | None) -> bytes:
    if text is None:
        return b"-"
    data = text.encode("utf-8", "surrogatepass")
    return b"%d:%s" % (len(data), data)


_object = msgspec.json.Decoder(dict[str, Raw])
