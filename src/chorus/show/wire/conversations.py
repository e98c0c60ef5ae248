"""The list of conversations, and the facts that are shown around a transcript."""

from typing import Literal

from chorus.core.conversation.items import McpServer
from chorus.core.conversation.tokens import Tokens
from chorus.core.views.blocks import Plan
from chorus.show.wire.base import Wire
from chorus.show.wire.facets import FacetValue
from chorus.show.wire.progress import ConversationProgressShown


class Pane(Wire, frozen=True):
    """The pane of a tmux server in which a client runs."""

    id: str
    """The id of the pane in its server, such as `%3`."""
    place: str
    """Session, window and number, such as `work:1.0`; untrusted text."""
    command: str
    """A command for a shell that attaches to the pane."""
    is_foreground: bool
    """Whether the terminal sends its keys to the client."""


class WentThere(Wire, frozen=True):
    """The answer to a wish to see a pane."""

    is_there: bool
    """Whether the pane is shown now to a person who is attached to its server."""
    command: str
    """A command for a shell that attaches to the pane."""


class PanePrompt(Wire, frozen=True):
    """A permission request that can be answered only in its pane."""

    session: str
    """The session that the program named; empty if it named none."""
    place: str
    why: str
    """Why there is no card for it."""


class PanePrompts(Wire, frozen=True):
    """The permission requests that can be answered only in their panes."""

    prompts: tuple[PanePrompt, ...]


class PaneScreen(Wire, frozen=True):
    """What a tmux pane shows now. The text is untrusted."""

    width: int
    height: int
    cursor: tuple[int, int] | None
    """Column and row of the cursor, from 0; null if the program hides it."""
    text: str
    """The rows of the screen with escape sequences for colours."""


class Running(Wire, frozen=True):
    """A client that has a session open now, according to the client itself. This is not recorded."""

    session: str
    pid: int
    status: Literal["idle", "busy", "waiting"]
    waiting_for: str | None
    """What the client waits for, in its own words, such as "permission prompt"."""
    pane: Pane | None
    """The tmux pane in which it runs, if it does."""


class ConversationSummary(Wire, frozen=True):
    """A conversation in a list."""

    name: str
    """The unique name: `workspace/agent/conversation`."""
    id: str
    workspace: str
    workspace_name: str
    """The display name of the workspace."""
    agent: str
    title: str
    """The title that a person set, or else `own_title`."""
    own_title: str
    first_prompt: str | None
    """The beginning of the first prompt of a person."""
    is_starred: bool
    is_archived: bool
    tags: tuple[str, ...]
    note: str | None
    status: str
    """A `conversation.items.Status`, or `damaged`; after a run that ended, from its end. Whether it is working now also
    depends on `ended_at`."""
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
    """Without the tokens of history that a fork copied: they are counted in the original conversation."""
    copied: Tokens | None
    """The tokens of copied history; None if there is none."""
    is_lower_bound: bool
    """Whether the real tokens and cost may be higher."""
    cost_usd: float | None
    """The computed cost of everything that has a price; None if nothing has."""
    why_no_cost: str | None
    """Why the cost, or a part of it, is unknown."""
    reported_usd: float | None
    """The cost that the client reported."""
    size_bytes: int
    damaged: int
    is_stub: bool
    running: Running | None
    """The client that has the conversation open; None if no such client is known."""
    progress: ConversationProgressShown | None
    """How far its turn and its sub-agents are; None if nothing is known about it."""


class AnnotationAsked(Wire, frozen=True):
    """A change of a conversation's annotations; None leaves a value unchanged. An empty title or note removes it."""

    title: str | None = None
    is_starred: bool | None = None
    is_archived: bool | None = None
    tags: tuple[str, ...] | None = None
    note: str | None = None


class ForgettingAsked(Wire, frozen=True):
    """A person saw what would be deleted, and confirms it."""

    lines: int
    """The number of lines that was shown. If there are more by now, the person is asked again."""


class Leaving(Wire, frozen=True):
    """What would be deleted with a conversation."""

    lines: int
    size_bytes: int
    side_files: int
    sources: tuple[str, ...]
    """The client's own files with the same content; they are not deleted."""


class ConversationFacets(Wire, frozen=True):
    """How many conversations that match a query have each value."""

    total: int
    is_partial: bool
    """Whether time ran out, so that there may be more."""
    archived: int
    """The number of matching conversations that are left out because they are archived."""
    workspaces: tuple[FacetValue, ...]
    statuses: tuple[FacetValue, ...]
    tags: tuple[FacetValue, ...]
    starred: int


class ConversationList(Wire, frozen=True):
    """A page of the list of conversations."""

    conversations: tuple[ConversationSummary, ...]
    has_more: bool
    is_partial: bool
    epoch: str
    seq: int


class Context(Wire, frozen=True):
    """How full the model's context window was at its last answer."""

    tokens: int
    window: int


class ThreadSummary(Wire, frozen=True):
    """A sub-agent's thread."""

    id: str
    kind: str
    description: str
    status: str | None
    call: str | None
    """The tool call that started the sub-agent."""
    parent: str
    """The thread of that call; "" for the main thread."""
    entries: int
    started_at: str | None
    ended_at: str | None


class ConversationDetail(Wire, frozen=True):
    """The facts that are shown around a transcript."""

    summary: ConversationSummary
    tools: tuple[str, ...]
    mcp_servers: tuple[McpServer, ...]
    permission_mode: str | None
    versions: tuple[str, ...]
    api_key_source: str | None
    slug: str | None
    plan: Plan | None
    """The latest recorded version of the plan file that the slug names."""
    context: Context | None
    threads: tuple[ThreadSummary, ...]
    unread: int
    epoch: str
    seq: int
