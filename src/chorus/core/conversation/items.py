"""The items of a conversation, and the changes that build it.

`feed(record)` returns a list of changes. An `Item` in the list is added, or replaces the item with the same id. The
other changes are `Remove`, `Append` and `Reach`. Ids are stable. An order key places an item among the others without
renumbering them. Payloads are part of the item that they belong to (`Block`, `ToolResult`, `Notice`). Headers
(`Message`, `Call`, `Turn` …) are small, so that they can be sent again when facts arrive.
"""

from enum import StrEnum

from msgspec import Raw, Struct

from chorus.core.conversation.tokens import Tokens as Tokens
from chorus.core.records.model import blocks
from chorus.core.records.model.base import ABSENT
from chorus.core.records.place import Place

Order = tuple[str, int, str, int, int]
"""Sort key of items: highest time so far in the stream, rank of the stream, stream, offset, index in the record."""

MAIN = ""
"""The agent id of the main thread."""


class Author(StrEnum):
    """Who wrote a message."""

    MODEL = "model"
    HUMAN = "human"
    TOOL = "tool"
    SYNTHETIC = "synthetic"
    COMMAND = "command"
    NOTIFICATION = "notification"
    AGENT = "agent"
    """An agent that instructs its sub-agent."""


class CallState(StrEnum):
    """The state of a tool call, as far as its result says."""

    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"
    REFUSED = "refused"
    """The call was not allowed to run."""
    ORPHAN = "orphan"
    """A result without its call."""


class Status(StrEnum):
    """What a conversation is doing, as far as its records say."""

    IDLE = "idle"
    THINKING = "thinking"
    READING = "reading"
    EDITING = "editing"
    RUNNING = "running"
    WAITING = "waiting for permission"
    DONE = "done"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


class Item(Struct, kw_only=True, tag_field="item", gc=False):
    """A part of a conversation with a stable id and an order key. Items have no cycles, so `gc` is off."""

    id: str
    order: Order
    agent: str = MAIN
    """The sub-agent whose thread contains the item."""


class Message(Item, tag="message"):
    """A message of the model (all its lines) or one user line. Its blocks are separate items."""

    role: str
    author: Author
    message_id: str | None = None
    uuid: str | None = None
    parent: str | None = None
    """The id of the message that this one answers or continues. Two children form a branch. Main thread only.

    `start:…` if several prompts begin the conversation.
    """
    started_at: str | None = None
    ended_at: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    tokens: Tokens | None = None
    service_tier: str | None = None
    request_id: str | None = None
    cost_usd: float | None = None
    duration_ms: float | None = None
    error: str | None = None
    doubt: str | None = None
    """The reported usage or cost that is impossible, in words. It is not counted."""
    is_partial: bool = False
    """Whether only stream events of it were read so far."""
    is_unfinished: bool = False
    """Whether it was cut off: its end was never written."""
    is_queued: bool = False
    """Whether it was typed while the agent was busy, and given to the model during the turn."""


class Block(Item, tag="block"):
    """A content block of a message, or the text of a turn result or of queued input."""

    of: str
    """The id of the item that contains it."""
    block: blocks.Block
    place: Place
    is_partial: bool = False


class Call(Item, tag="call"):
    """A tool call and its state."""

    tool_use_id: str
    name: str
    state: CallState
    message: str | None = None
    block: str | None = None
    started_at: str | None = None
    ended_at: str | None = None
    subagent: str | None = None
    """The sub-agent that this call started."""
    files: tuple[str, ...] = ()
    """Files that the call writes."""
    decision: str | None = None
    """`approved` or `denied`, if the record says what was decided about the call."""
    decided_by: str | None = None
    """Who or what decided: a person, a hook, a rule, the settings."""


class ToolResult(Item, tag="result"):
    """The result of a tool: `content` is what the model sees, `structured` is the client's own form, if any."""

    tool_use_id: str
    place: Place
    content: Raw = ABSENT
    structured: Raw = ABSENT
    is_error: bool = False
    side_file: str | None = None
    """Name of the file in the session's `tool-results/` that contains the whole output."""
    uuid: str | None = None


class OwnUsage(Struct, frozen=True):
    """What a conversation itself used, according to the cost ledger of all conversations."""

    tokens: Tokens
    copied: Tokens | None
    """Further usage in its records: history that was copied from the conversation it was forked from."""
    is_lower_bound: bool
    cost: str
    """As text; empty if nothing was used."""


class ModelTokens(Struct, frozen=True, array_like=True, gc=False):
    """The tokens that one model used."""

    model: str
    tokens: Tokens


class Turn(Item, tag="turn"):
    """The end of a turn, as the client reported it. Its text, if any, is a `Block`."""

    place: Place
    subtype: str | None = None
    is_error: bool = False
    errors: tuple[str, ...] = ()
    num_turns: int | None = None
    duration_ms: float | None = None
    duration_api_ms: float | None = None
    total_cost_usd: float | None = None
    """As reported: the total of the session and its resumes. `Conversation.cost_of` returns what a turn added."""
    cost_since_last_usd: float | None = None
    """The increment, if the client states it."""
    tokens: Tokens | None = None
    models: tuple[ModelTokens, ...] = ()
    """What each model used, with sub-agents: a total, like `total_cost_usd`. Increment: `model_usage.added_by_turn`."""
    models_since_last: tuple[ModelTokens, ...] | None = None
    """The increment, if the client states it."""
    has_agents: bool = False
    """Whether its stream has lines of sub-agents before it."""
    stop_reason: str | None = None
    terminal_reason: str | None = None
    ended_at: str | None = None
    doubt: str | None = None
    """The reported usage or cost that is impossible, in words. It is not counted."""

    @property
    def is_interrupted(self) -> bool:
        """Whether a person ended it. The client reports that as an error, too."""
        return bool(self.terminal_reason and self.terminal_reason.startswith("aborted"))

    @property
    def has_failed(self) -> bool:
        """Whether it ended with an error that was not an interruption by a person."""
        return (self.is_error or bool(self.errors)) and not self.is_interrupted


class ApiFailure(Struct, frozen=True, kw_only=True, gc=False):
    """An error of the API and the next attempt, as far as the client reports them."""

    status: str | None = None
    words: str | None = None
    attempt: int | None = None
    most_attempts: int | None = None
    delay_ms: float | None = None


class ClientReport(Struct, frozen=True, kw_only=True, gc=False):
    """What the client reports about work that is running: a command, a tool of an MCP server, a sub-agent."""

    call: str | None = None
    """The tool call that started the work."""
    agent: str | None = None
    """The sub-agent or background task that does it."""
    step: str | None = None
    tool: str | None = None
    """The tool that a sub-agent used last."""
    tool_uses: int | None = None
    completed: int | None = None
    total: int | None = None
    output: str | None = None
    """The beginning and the end of what a command printed so far."""


class Notice(Item, tag="notice"):
    """A record that is not a message: an event to show, or one for the client's own use (`is_internal`)."""

    type: str
    kind: str
    place: Place
    is_internal: bool
    body: Raw = ABSENT
    """The whole record, if its type is not known."""
    file_facts: Raw = ABSENT
    """The whole record, if it says something about the state of files: a backup, or a hook that ran after a call."""
    time: str | None = None
    text: str | None = None
    reason: str | None = None
    """Why the bytes could not be read, if `type` is `unread`."""
    failure: ApiFailure | None = None
    """The error of the API, if `kind` is `api_error` or `api_retry`."""
    tool: str | None = None
    """The requested tool, if this is a decision about a permission request. Records of a client never have it, so that
    this field, and not `type`, identifies a decision."""
    by: str | None = None
    """Who decided."""
    source: str | None = None
    """The source of a record that is not part of the conversation, because another source has more authority."""
    against: str | None = None
    """The id under which such a record contradicts the conversation; "" if none of its ids is known."""
    level: str | None = None
    """The severity in the record: `error`, `warning` or `info`."""
    report: ClientReport | None = None
    """What the record says about running work."""
    call: str | None = None
    """The call that a decision is about."""
    latency_ms: int | None = None
    """How long the request waited for the decision."""


class Compaction(Item, tag="compaction"):
    """A point where the client replaced the history that the model sees with a summary."""

    place: Place
    trigger: str | None = None
    pre_tokens: int | None = None
    post_tokens: int | None = None
    time: str | None = None


class Queued(Item, tag="queued"):
    """Input that came while the agent was busy. Its text is a `Block`."""

    place: Place
    state: str
    """`waiting`, `taken` (became a prompt), `absorbed` (shown to the model during a turn) or `removed`."""
    time: str | None = None
    author: Author = Author.HUMAN
    """A person, or the client: it queues its own notifications (`Author.NOTIFICATION`)."""
    is_in_message: bool = False
    """Whether a message of the conversation shows it."""

    @property
    def is_shown(self) -> bool:
        """Whether a reader sees it: input of a person that no message shows and that was not removed."""
        return self.author is Author.HUMAN and not self.is_in_message and self.state in ("waiting", "absorbed")


class Permission(Item, tag="permission"):
    """A permission request over the control channel, as far as the records show it."""

    request_id: str
    tool_use_id: str | None = None
    tool_name: str | None = None
    state: str = "open"
    """`open`, `allowed`, `denied`, `cancelled` or `settled` (the tool ran, or was refused in another way)."""
    time: str | None = None
    ended_at: str | None = None
    """When it was answered or cancelled; None if that is not known, or while it is open."""


class Agent(Item, tag="agent"):
    """A sub-agent. Its messages have its id in `agent`."""

    call: str | None = None
    """The tool call that started it."""
    parent: str = MAIN
    type: str | None = None
    description: str | None = None
    status: str | None = None
    is_background: bool = False
    depth: int | None = None


class ModeChange(Item, tag="mode"):
    """A change of the permission mode."""

    mode: str
    time: str | None = None


class McpServer(Struct, frozen=True):
    name: str
    status: str | None = None


class Limit(Struct, frozen=True, kw_only=True, gc=False):
    """A limit of the account, as the client reported it last."""

    type: str
    """The name of the limit in the record, such as `five_hour`; "" if it has none."""
    status: str | None = None
    utilization: float | None = None
    """The share that was used, from 0 to 1."""
    resets_at_s: float | None = None
    """When it starts again, in seconds since 1970."""
    reported_at: str | None = None


class Session(Item, tag="session"):
    """The facts about the whole conversation. Sent again when one of them changes."""

    session_id: str
    title: str | None = None
    title_source: str | None = None
    """`custom`, `ai`, `summary` or `prompt`."""
    first_prompt: str | None = None
    """The beginning of the first prompt of a person, on one line."""
    status: Status = Status.IDLE
    started_at: str | None = None
    ended_at: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    slug: str | None = None
    permission_mode: str | None = None
    api_key_source: str | None = None
    tools: tuple[str, ...] = ()
    mcp_servers: tuple[McpServer, ...] = ()
    versions: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    """First the model that did most of the work (output tokens, then messages), then the others as they appeared."""
    tokens: Tokens = Tokens()
    """Each message id is counted once, with the maximum of each field."""
    turn_tokens: Tokens = Tokens()
    """The tokens in the turn results. They describe the same work, so they are never added to `tokens`."""
    has_message_usage: bool = False
    messages_counted: int = 0
    """Number of API messages with tokens."""
    messages_unended: int = 0
    """Number of these without a stop reason: their output count may be a placeholder."""
    state_cost_usd: float | None = None
    """The last total that the client wrote into its session file."""
    unread: int = 0
    messages: int = 0
    """Number of distinct assistant messages."""
    limits: tuple[Limit, ...] = ()
    """The last known state of each limit that the client reported, sorted by its type."""


class Remove(Struct, tag="remove", tag_field="change"):
    """The item with this id is removed: it was provisional, or its content is shown elsewhere."""

    id: str


class Append(Struct, tag="append", tag_field="change"):
    """More text for a block that is still growing."""

    id: str
    text: str


class Reach(Struct, tag="reach", tag_field="change", gc=False):
    """The session lasted at least until this time."""

    time: str


Change = Item | Remove | Append | Reach


class SideFile(Struct, frozen=True):
    """A file with the whole output of a tool."""

    name: str
    path: str
    size_bytes: int | None
    """None if the file does not exist (any more)."""
