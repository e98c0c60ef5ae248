"""Permission requests as cards for a decision, and the approvers."""

from typing import Literal

from chorus.core.conversation.tool_facts import ToolKind
from chorus.core.views.blocks import Block, Json
from chorus.show.wire.base import Wire


class ApprovalHint(Wire, frozen=True):
    """A possible risk of the request. It has no effect on the decision."""

    kind: str
    words: str


class ApprovalOffer(Wire, frozen=True):
    """A change of the client's rules that can be accepted together with the request, each one separately."""

    index: int
    words: str
    is_wide: bool
    """Whether it would allow far more than this request, or something unknown."""
    text: str


class ApprovalFact(Wire, frozen=True):
    """A named fact about a request, such as its folder or its workspace."""

    name: str
    text: str


class ApprovalDecision(Wire, frozen=True):
    """What was decided, by whom and where."""

    behavior: Literal["allow", "deny"]
    at: str
    surface: str
    message: str
    is_changed: bool
    """Whether the approved input differs from the requested one."""
    approver: str | None
    """The name of the approver who signed it."""
    rules: tuple[str, ...]
    """The rules that decided in a person's place, as texts."""


class ApprovalCard(Wire, frozen=True):
    """One request, built only from its row. Texts for display are already harmless; `input` and ids are exact."""

    id: str
    digest: str
    state: Literal["pending", "approved", "denied", "answered", "expired", "withdrawn", "invalid"]
    tool: str
    kind: ToolKind
    """What the tool does; questions and plans have cards of their own."""
    title: str
    blocks: tuple[Block, ...]
    whole: Json
    input: str
    """The exact input, for editing."""
    hints: tuple[ApprovalHint, ...]
    offers: tuple[ApprovalOffer, ...]
    facts: tuple[ApprovalFact, ...]
    session: str
    conversation: str | None
    """The name of the conversation in the vault; null until the session is recorded."""
    conversation_title: str | None
    """The title in lists; null until the conversation is listed."""
    workspace_name: str | None
    """The display name of the workspace; null if no conversation is known."""
    run: str | None
    """The run that sent the request, if Chorus started it."""
    agent: str | None
    """The id of the sub-agent that sent the request; null for the main agent."""
    created_at: str
    deadline_at: str | None
    decision: ApprovalDecision | None
    """The decision that was sent. If the state is `answered`, it came too late."""
    effect: Literal["sent", "took_effect", "failed"] | None
    """The effect of the decision; null if there is no decision, or if its effect is never reported."""
    settled_at: str | None
    latency_ms: int | None
    """How long the request waited, by the ledger's clock; null while it waits, and if that clock went backwards."""
    note: str | None
    """Why the request ended without a decision, or how it was answered elsewhere."""


class Approvals(Wire, frozen=True):
    """Pending requests, oldest first; then, if requested, settled ones, newest first."""

    cards: tuple[ApprovalCard, ...]
    pending: int
    trouble: str | None
    """A problem with the permission ledger or its list of approvers."""


class ApprovalAnswer(Wire, frozen=True):
    """A decision on a displayed card: `digest` is that of the card. Allowing needs the signature of an approver."""

    digest: str
    behavior: Literal["allow", "deny"]
    at: str
    message: str = ""
    input: str | None = None
    suggestions: tuple[int, ...] = ()
    approver: str | None = None
    signature: str | None = None


class ApproverShown(Wire, frozen=True):
    """An approver, as lists show it."""

    id: str
    name: str
    kind: Literal["browser", "passphrase"]
    added_at: str


class KeyShown(Wire, frozen=True):
    """A P-256 public key, as base64url."""

    x: str
    y: str


class Enrolment(Wire, frozen=True):
    """A browser that asks to become an approver."""

    id: str
    name: str
    public_key: KeyShown
    asked_at: str


class Approvers(Wire, frozen=True):
    """The approvers, and the browsers that wait to become one."""

    approvers: tuple[ApproverShown, ...]
    waiting: tuple[Enrolment, ...]
    """Browsers that ask to become approvers. An approver must sign for each."""
    head: str
    """The digest of the last line of the list. A change must contain it."""


class EnrolmentAsked(Wire, frozen=True):
    """A browser asks to become an approver."""

    name: str
    public_key: KeyShown


class ApproverChange(Wire, frozen=True):
    """A signed change of the list of approvers: a waiting browser is added, or an approver is removed."""

    action: Literal["add", "remove"]
    id: str
    at: str
    by: str
    signature: str
