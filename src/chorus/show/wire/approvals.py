"""Permission requests, as cards to decide on, and who may decide."""

from typing import Literal

from chorus.core.conversation.tool_facts import ToolKind
from chorus.core.views.blocks import Block, Json
from chorus.show.wire.base import Wire


class ApprovalHint(Wire, frozen=True):
    """What could go wrong; it decides nothing."""

    kind: str
    words: str


class ApprovalOffer(Wire, frozen=True):
    """A change of the client's rules that may be taken along, by itself."""

    index: int
    words: str
    is_wide: bool
    """Whether far more than this request would be allowed, or nobody knows what."""
    text: str


class ApprovalFact(Wire, frozen=True):
    name: str
    text: str


class ApprovalDecision(Wire, frozen=True):
    """What was answered, by whom and where."""

    behavior: Literal["allow", "deny"]
    at: str
    surface: str
    message: str
    is_changed: bool
    """Whether another input runs than the one that was asked for."""
    approver: str | None
    """The name of who signed it."""


class ApprovalCard(Wire, frozen=True):
    """One request, built from its row alone. Texts to be shown are harmless as they are; `input` and ids are exact."""

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
    """The exact input, for who edits it."""
    hints: tuple[ApprovalHint, ...]
    offers: tuple[ApprovalOffer, ...]
    facts: tuple[ApprovalFact, ...]
    session: str
    conversation: str | None
    """The vault's name of it; null as long as the session is not kept."""
    conversation_title: str | None
    """What lists call it; null as long as it is in no list."""
    workspace_name: str | None
    """What people call the workspace; null where no conversation is known."""
    run: str | None
    """The run that asks, if Chorus started it."""
    agent: str | None
    """The id of the sub-agent that asks; null for the main agent."""
    created_at: str
    deadline_at: str | None
    decision: ApprovalDecision | None
    """What was sent; where the state is `answered`, it came too late."""
    effect: Literal["sent", "took_effect"] | None
    """What came of the decision; null where there is none, or nobody will say."""
    settled_at: str | None
    latency_ms: int | None
    """How long it waited, by the ledger's clock; null while it does, and where that clock ran backwards."""
    note: str | None
    """Why it ended otherwise; where it was answered elsewhere, how."""


class Approvals(Wire, frozen=True):
    """Those that wait, the oldest first; then, if asked for, those that are settled, the newest first."""

    cards: tuple[ApprovalCard, ...]
    pending: int
    trouble: str | None
    """What is odd about the ledger or its list of approvers."""


class ApprovalAnswer(Wire, frozen=True):
    """An answer to what was seen: `digest` is that of the card. To allow takes an approver's signature."""

    digest: str
    behavior: Literal["allow", "deny"]
    at: str
    message: str = ""
    input: str | None = None
    suggestions: tuple[int, ...] = ()
    approver: str | None = None
    signature: str | None = None


class ApproverShown(Wire, frozen=True):
    id: str
    name: str
    kind: Literal["browser", "passphrase"]
    added_at: str


class KeyShown(Wire, frozen=True):
    """A public key on P-256, as base64url."""

    x: str
    y: str


class Enrolment(Wire, frozen=True):
    """A browser that would like to be an approver."""

    id: str
    name: str
    public_key: KeyShown
    asked_at: str


class Approvers(Wire, frozen=True):
    approvers: tuple[ApproverShown, ...]
    waiting: tuple[Enrolment, ...]
    """Who asks to become one: an approver has to sign for each."""
    head: str
    """The digest of the list's last line, which a change has to name."""


class EnrolmentAsked(Wire, frozen=True):
    name: str
    public_key: KeyShown


class ApproverChange(Wire, frozen=True):
    """A signed change of who may approve: a browser that waits is let in, or an approver goes."""

    action: Literal["add", "remove"]
    id: str
    at: str
    by: str
    signature: str
