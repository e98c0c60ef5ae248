"""The data of the permission ledger: requests, decisions, and rows that combine both. Pure data, camelCase on disk.

Texts are untrusted and exact: an input is the JSON text that arrived and is never encoded again, because what a person
saw must be what runs.
"""

import hashlib
import re
from enum import StrEnum
from typing import Literal

import msgspec
from msgspec import Raw, Struct, field

from chorus.core.records.scan import MAX_DEPTH, nests_deeper

Source = Literal["control", "hook", "prompt-tool", "tmux"]
"""The channel that a request came through. There is no other source. `tmux`: three sources that agree about a pane."""
Behaviour = Literal["allow", "deny"]

LONGEST_INPUT = 4 << 20
"""The most characters of an input; nobody can judge more."""
LONGEST_MESSAGE = 20_000
LONGEST_TEXT = 10_000
"""The most characters of any other text of a request."""
MAX_SUGGESTIONS = 100
_REFUSALS = (msgspec.DecodeError, UnicodeError, RecursionError)
_ID = re.compile("[0-9a-f]{32}")
_DIGEST_OF = b"chorus request 1\n"


TAMPERING = "TAMPERING: "
"""The prefix of the note of a row whose run was tampered with."""


class State(StrEnum):
    """The state of a row. After any state but the first, only the outcome may still be recorded."""

    PENDING = "pending"
    APPROVED = "approved"
    """A person allowed it through Chorus; `Row.effect` says whether the decision reached the client in time."""
    DENIED = "denied"
    """A person denied it through Chorus; `Row.effect` as above."""
    ANSWERED = "answered"
    """Answered, but not by a decision of this ledger: in the terminal, by another hook, or by a rule."""
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    INVALID = "invalid"


Effect = Literal["sent", "took_effect", "failed"]
"""The outcome of a decision: sent to the client, or the client acted on it, or it could not be given to the client."""
Where = Literal["terminal", "elsewhere"]


class Answered(Struct, frozen=True, rename="camel"):
    """How a request was answered without a decision of this ledger."""

    behaviour: Behaviour | None = field(name="behavior", default=None)
    """None while it is not known."""
    where: Where = "elsewhere"

    @property
    def words(self) -> str:
        """The answer in words, such as `answered in the terminal: allowed`."""
        place = "in the terminal" if self.where == "terminal" else "elsewhere"
        how = {"allow": ": allowed", "deny": ": denied", None: ""}[self.behaviour]
        return f"answered {place}{how}"


class Asker(Struct, frozen=True):
    """The process that waits for the answer. The process number alone may be reused by another process later."""

    pid: int
    started_at: str
    """The start time as the system reports it; equal only for the same process. See `asking_process.this_process`."""


class Plan(Struct, frozen=True):
    """The plan that a request is about but does not contain."""

    text: str
    path: str = ""
    """The path of the file with the plan; empty if the plan was found in the agent's call."""


class Request(Struct, frozen=True, kw_only=True, rename="camel"):
    """A permission request as the asker sends it."""

    id: str
    """32 random hex digits, chosen by the asker: an answer to another id is no answer."""
    source: Source
    key: str
    """Identifies the same request when it is asked again: run and request, or session and digest."""
    session: str
    tool: str
    input: str
    """The JSON text of the input as it was received."""
    cwd: str
    created_at: str
    asker: Asker
    conversation: str | None = None
    """The name of the conversation in the vault: workspace/agent/conversation."""
    run: str | None = None
    agent: str | None = None
    """The sub-agent that asks."""
    tool_use: str | None = None
    suggestions: list[str] = field(default_factory=list)
    """The JSON texts of the rule changes that the client offers."""
    description: str | None = None
    deadline_at: str | None = None
    root: str | None = None
    """The folder of the workspace, for rules; None if it is not known. It is not shown, and no part of the digest."""
    plans: list[Plan] = field(default_factory=list)
    """If the client asks about a plan without sending it: the plans that were found, as the person sees them."""


class RuleUsed(Struct, frozen=True):
    """A rule that decided a request: its id, and its text at that time."""

    id: str
    text: str


class Decision(Struct, frozen=True, kw_only=True, rename="camel"):
    """The answer to a request."""

    behaviour: Behaviour = field(name="behavior")
    at: str
    """When it was made, by the clock of the person's device."""
    surface: str
    """Where it was made: `page`, `terminal`, `api`, `hook`, or `rule` if no person made it."""
    message: str = ""
    input: str | None = None
    """The JSON text to run instead of the input of the request."""
    suggestions: list[int] = field(default_factory=list)
    """The indexes of the accepted suggestions, in order."""
    approver: str | None = None
    signature: str | None = None
    """The signature over `signing.signed_bytes`, base64url."""
    rules: list[RuleUsed] = field(default_factory=list)
    """The rules that decided, if no person did. They have the signatures of approvers instead of the decision."""

    @property
    def rule_names(self) -> str:
        """The rules that decided, by their ids; empty if a person decided."""
        return f"rule {', '.join(used.id for used in self.rules)}" if self.rules else ""


class Row(Struct, frozen=True, kw_only=True, rename="camel"):
    """A request with its state, its decision and its outcome."""

    request: Request
    digest: str
    state: State = State.PENDING
    decision: Decision | None = None
    """The decision that was sent; if the state is `answered`, it came too late."""
    effect: Effect | None = None
    """The outcome of the decision; None if there is no decision, or if an older version of Chorus wrote it."""
    answered: Answered | None = None
    """What really happened, if that was not caused by a decision of this ledger."""
    settled_at: str | None = None
    latency_ms: int | None = None
    note: str | None = None
    """Why it is invalid or withdrawn, how it was answered elsewhere, or what is wrong with it."""

    @property
    def id(self) -> str:
        return self.request.id

    @property
    def is_pending(self) -> bool:
        return self.state is State.PENDING

    @property
    def is_open(self) -> bool:
        """Whether it has ended and its outcome is not known yet."""
        return is_open(self.state, self.effect, self.answered)


def is_open(state: State, effect: Effect | None, answered: Answered | None) -> bool:
    """Returns whether the outcome may still have to be recorded."""
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
    """Returns the SHA-256 (hex) over everything that the answer depends on.

    That is who asks, where, for what, and with which suggestions. Each text is encoded as `<bytes>:<text>`, a missing
    one as `-`. The suggestions follow their number, and so do the plans if there are any.
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
    parts = (*texts, *counted, *(planned if request.plans else ()))
    return hashlib.sha256(_DIGEST_OF + b"".join(map(_prefixed, parts))).hexdigest()


def unfit_request(request: Request) -> str | None:
    """Returns why a request can neither be stored nor shown; None if it can."""
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
    """Returns why a decision does not fit the request; None if it does."""
    chosen = decision.suggestions
    if len(set(chosen)) != len(chosen) or not all(0 <= each < len(request.suggestions) for each in chosen):
        return "it accepts suggestions that do not exist, or accepts one twice"
    if decision.rules and (chosen or decision.input is not None or decision.approver or decision.signature):
        return "a rule can change neither the input nor rules of the client"
    if decision.behaviour == "deny" and (chosen or decision.input is not None):
        return "a denial can change neither the input nor rules"
    if decision.input is not None and (len(decision.input) > LONGEST_INPUT or not is_object(decision.input)):
        return "the changed input is not a JSON object, or is too long"
    if len(decision.message) > LONGEST_MESSAGE or len(decision.surface) > LONGEST_TEXT:
        return "its message is too long"
    return None if _is_encodable(decision) else "it holds half a character"


def is_object(text: str) -> bool:
    """Returns whether the text is one JSON object that every supported Python can parse.

    So all readers see the same request.
    """
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
