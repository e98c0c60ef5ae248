"""The list of conversations, and what stands above and beside one of them."""

from typing import Literal

from chorus.core.conversation.items import McpServer
from chorus.core.conversation.tokens import Tokens
from chorus.core.views.blocks import Plan
from chorus.show.wire.base import Wire
from chorus.show.wire.facets import FacetValue


class Running(Wire, frozen=True):
    """A client that has a session open now, by its own word; not part of the record."""

    session: str
    pid: int
    status: Literal["idle", "busy", "waiting"]
    waiting_for: str | None
    """What it waits for, in its own words, such as "permission prompt"."""


class ConversationSummary(Wire, frozen=True):
    """A line of the list."""

    name: str
    """`workspace/agent/conversation`: what tells it from all others."""
    id: str
    workspace: str
    workspace_name: str
    """What people call the workspace."""
    agent: str
    title: str
    """The one that a person gave, else the conversation's own."""
    own_title: str
    first_prompt: str | None
    """How the first thing begins that a person asked."""
    is_starred: bool
    is_archived: bool
    tags: tuple[str, ...]
    note: str | None
    status: str
    """A `conversation.items.Status`, or `damaged`. Whether it is at work now also depends on `ended_at`."""
    folder: str | None
    branch: str | None
    models: tuple[str, ...]
    started_at: str | None
    ended_at: str | None
    messages: int
    calls: int
    sub_agents: int
    sub_agents_at_work: int
    tokens: Tokens
    """Its own: what a fork copied from its source is counted there."""
    copied: Tokens | None
    """What was copied so; None when nothing was."""
    is_lower_bound: bool
    """Whether tokens and cost may be more."""
    cost_usd: float | None
    """Computed, of all that has a price; None when nothing has."""
    why_no_cost: str | None
    """Why the cost, or a part of it, is not known."""
    reported_usd: float | None
    """What the client said."""
    size_bytes: int
    damaged: int
    is_stub: bool
    running: Running | None
    """The client that has it open; None when none is known to."""


class AnnotationAsked(Wire, frozen=True):
    """What a person says about a conversation; None leaves it as it is. An empty title or note takes it away."""

    title: str | None = None
    is_starred: bool | None = None
    is_archived: bool | None = None
    tags: tuple[str, ...] | None = None
    note: str | None = None


class ForgettingAsked(Wire, frozen=True):
    """A person saw what would go, and wants it."""

    lines: int
    """As they were shown: what has more by now is shown again first."""


class Leaving(Wire, frozen=True):
    """What would go with a conversation."""

    lines: int
    size_bytes: int
    side_files: int
    sources: tuple[str, ...]
    """The client's own files that hold the same; they stay."""


class ConversationFacets(Wire, frozen=True):
    """How the conversations that answer a query divide."""

    total: int
    is_partial: bool
    """Whether time ran out: there may be more."""
    archived: int
    """Conversations that answer as well, and are left out because they were archived."""
    workspaces: tuple[FacetValue, ...]
    statuses: tuple[FacetValue, ...]
    tags: tuple[FacetValue, ...]
    starred: int


class ConversationList(Wire, frozen=True):
    conversations: tuple[ConversationSummary, ...]
    has_more: bool
    is_partial: bool
    epoch: str
    seq: int


class Context(Wire, frozen=True):
    """How full the model's window was when it answered last."""

    tokens: int
    window: int


class ThreadSummary(Wire, frozen=True):
    """A sub-agent's thread."""

    id: str
    kind: str
    description: str
    status: str | None
    call: str | None
    """The tool call that started it."""
    parent: str
    """The thread that call stands in; "" for the main one."""
    entries: int
    started_at: str | None
    ended_at: str | None


class ConversationDetail(Wire, frozen=True):
    """What stands above and beside a transcript."""

    summary: ConversationSummary
    tools: tuple[str, ...]
    mcp_servers: tuple[McpServer, ...]
    permission_mode: str | None
    versions: tuple[str, ...]
    api_key_source: str | None
    slug: str | None
    plan: Plan | None
    """The plan file that the slug names, as it was last kept."""
    context: Context | None
    threads: tuple[ThreadSummary, ...]
    unread: int
    epoch: str
    seq: int
