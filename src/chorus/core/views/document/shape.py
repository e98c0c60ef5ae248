"""The schema of the JSON document, field by field; docs/guide/show.md describes it for users."""

from msgspec import Raw, Struct

from chorus.core.conversation.branches import Branch
from chorus.core.conversation.items import McpServer, SideFile, Tokens
from chorus.core.conversation.todos import Plan, Task, Todo

VERSION = 1
"""Increased when a field changes its meaning or is removed. A new field does not change it."""


class Where(Struct, frozen=True, kw_only=True):
    """The bytes that something was read from."""

    stream: str
    offset: int
    length: int


class Facts(Struct, frozen=True, kw_only=True):
    """The document without its lists, such as messages and turns."""

    format: str
    version: int
    id: str
    title: str | None
    title_source: str | None
    status: str
    started_at: str | None
    ended_at: str | None
    cwd: str | None
    git_branch: str | None
    slug: str | None
    permission_mode: str | None
    client_versions: tuple[str, ...]
    models: tuple[str, ...]
    tools: tuple[str, ...]
    mcp_servers: tuple[McpServer, ...]
    tokens: Tokens
    copied_tokens: Tokens | None
    """The part of `tokens` that was copied from the source of a fork; None if there is none, or for a file."""
    tokens_are_per_turn: bool
    tokens_are_lower_bound: bool
    cost_usd: float | None
    """Like `reported_usd`: its older name."""
    reported_usd: float | None
    unread: int
    files_touched: list[str]
    todos: list[Todo]
    tasks: list[Task]
    plans: list[Plan]
    branches: list[Branch]


class Result(Struct, frozen=True, kw_only=True):
    content: Raw
    """What the model received: a text or a list of content blocks, as recorded."""
    structured: Raw
    """The client's structured form of the result, as recorded."""
    is_error: bool
    side_file: SideFile | None
    uuid: str | None
    place: Where


class Call(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    state: str
    input: Raw
    """As recorded."""
    started_at: str | None
    ended_at: str | None
    agent: str | None
    """The sub-agent that the call started."""
    files: tuple[str, ...]
    permission: str | None
    decision: str | None
    decided_by: str | None
    result: Result | None


class Message(Struct, frozen=True, kw_only=True):
    id: str
    agent: str
    uuid: str | None
    message_id: str | None
    parent: str | None
    role: str
    author: str
    started_at: str | None
    ended_at: str | None
    model: str | None
    stop_reason: str | None
    tokens: Tokens | None
    cost_usd: float | None
    duration_ms: float | None
    error: str | None
    doubt: str | None
    """Why its tokens or cost are not counted."""
    is_partial: bool
    is_unfinished: bool
    is_queued: bool
    is_abandoned: bool
    blocks: list[dict[str, object]]
    """The content blocks as recorded, without empty fields; inputs of calls are in `calls`."""
    calls: list[Call]
