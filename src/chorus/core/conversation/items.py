"""What a conversation is made of, and the changes that build it.

`feed(record)` gives a list of changes. An `Item` in that list is put: added, or it replaces the item of the same id.
`Remove`, `Append` and `Reach` say the rest. Ids are stable, and an order key places an item among the others without
renumbering any of them. Payloads ride on the item they belong to (`Block`, `ToolResult`, `Notice`); headers
(`Message`, `Call`, `Turn` …) are small, so that they can be put again as facts arrive.
"""

from enum import StrEnum

from msgspec import Raw, Struct

from chorus.core.conversation.tokens import Tokens as Tokens
from chorus.core.records.model import blocks
from chorus.core.records.model.base import ABSENT
from chorus.core.records.place import Place

Order = tuple[str, int, str, int, int]
"""Sorts items: highest time seen so far in the stream, rank of the stream, stream, offset, index in the record."""

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
    """An agent instructing its sub-agent."""


class CallState(StrEnum):
    """How a tool call went, as far as its result tells."""

    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"
    REFUSED = "refused"
    """Somebody or something did not let it run."""
    ORPHAN = "orphan"
    """A result whose call is not there."""


class Status(StrEnum):
    """What a conversation is doing, as far as its records tell."""

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
    """Something with a stable id and a place in the order. Items hold no cycles, so the collector may skip them."""

    id: str
    order: Order
    agent: str = MAIN
    """The sub-agent whose thread this belongs to."""


class Message(Item, tag="message"):
    """A message of the model (all its lines) or one user line; its blocks are items of their own."""

    role: str
    author: Author
    message_id: str | None = None
    uuid: str | None = None
    parent: str | None = None
    """The id of the message this one answers or continues; two children make a branch. Main thread only.

    `start:…` where several prompts begin the conversation.
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
    """What it is said to have used or cost that cannot be, in words: it is not counted."""
    is_partial: bool = False
    """Known only from stream events so far."""
    is_unfinished: bool = False
    """Cut off: it was never written to its end."""
    is_queued: bool = False
    """Typed while the agent was busy and taken in mid-turn."""


class Block(Item, tag="block"):
    """A content block of a message, or the text of a turn's result or of queued input."""

    of: str
    """The id of the item it is part of."""
    block: blocks.Block
    place: Place
    is_partial: bool = False


class Call(Item, tag="call"):
    """A tool call and how it went."""

    tool_use_id: str
    name: str
    state: CallState
    message: str | None = None
    block: str | None = None
    started_at: str | None = None
    ended_at: str | None = None
    subagent: str | None = None
    """The agent this call started."""
    files: tuple[str, ...] = ()
    """Files that the call writes."""
    decision: str | None = None
    """`approved` or `denied`, where the record tells what was decided about it."""
    decided_by: str | None = None
    """Who or what decided, in words: a person, a hook, a rule, the settings."""


class ToolResult(Item, tag="result"):
    """What a tool gave back: the model's view (`content`) and the client's structured form, where there is one."""

    tool_use_id: str
    place: Place
    content: Raw = ABSENT
    structured: Raw = ABSENT
    is_error: bool = False
    side_file: str | None = None
    """Name of the file in the session's `tool-results/` that holds the whole output."""
    uuid: str | None = None


class Own(Struct, frozen=True):
    """What a conversation used itself, as a ledger over all conversations has it."""

    tokens: Tokens
    copied: Tokens | None
    """What its records hold beyond that: history that was copied from the conversation it was forked from."""
    is_lower_bound: bool
    cost: str
    """In words; empty where nothing was used."""


class ModelTokens(Struct, frozen=True, array_like=True, gc=False):
    """What one model used."""

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
    """As reported: cumulative over the session and its resumes. What a turn added: `Conversation.cost_of`."""
    cost_since_last_usd: float | None = None
    """The increment, where the client states it."""
    tokens: Tokens | None = None
    models: tuple[ModelTokens, ...] = ()
    """What each model used, sub-agents included: cumulative, as `total_cost_usd` is. What a turn added:
    `model_usage.added`."""
    models_since_last: tuple[ModelTokens, ...] | None = None
    """The increment, where the client states it."""
    has_agents: bool = False
    """Whether sub-agents spoke before it in its stream."""
    stop_reason: str | None = None
    terminal_reason: str | None = None
    ended_at: str | None = None
    doubt: str | None = None
    """What it is said to have used or cost that cannot be, in words: it is not counted."""

    @property
    def is_interrupted(self) -> bool:
        """Whether a person ended it: the client calls that an error, too."""
        return bool(self.terminal_reason and self.terminal_reason.startswith("aborted"))

    @property
    def has_failed(self) -> bool:
        """Whether something went wrong that no person wanted."""
        return (self.is_error or bool(self.errors)) and not self.is_interrupted


class ApiFailure(Struct, frozen=True, kw_only=True, gc=False):
    """What the API refused, and the try that follows, as far as the client tells."""

    status: str | None = None
    words: str | None = None
    attempt: int | None = None
    most_attempts: int | None = None
    delay_ms: float | None = None


class Notice(Item, tag="notice"):
    """A record that is not a message: an event to show, or one the client keeps for itself (`is_internal`)."""

    type: str
    kind: str
    place: Place
    is_internal: bool
    body: Raw = ABSENT
    """The whole record, where its type is not known."""
    time: str | None = None
    text: str | None = None
    reason: str | None = None
    """Why bytes could not be read, for `type` unread."""
    failure: ApiFailure | None = None
    """What an error of the API was, for `kind` api_error and api_retry."""
    tool: str | None = None
    """Of a decision about a permission, the tool that was asked for. What a client writes never has one, so this, and
    not the type, tells a decision."""
    by: str | None = None
    """Who decided."""
    source: str | None = None
    """Where a record came from that is not part of the conversation: another source tells that better."""
    against: str | None = None
    """The id under which such a record says something else; "" when nothing is known of what it says."""
    level: str | None = None
    """How grave the record itself calls what it tells: `error`, `warning` or `info`."""


class Compaction(Item, tag="compaction"):
    """A point where the client replaced what came before by a summary, for the model's eyes."""

    place: Place
    trigger: str | None = None
    pre_tokens: int | None = None
    post_tokens: int | None = None
    time: str | None = None


class Queued(Item, tag="queued"):
    """Input that came while the agent was busy; its text is a `Block`."""

    place: Place
    state: str
    """`waiting`, `taken` (became a prompt), `absorbed` (shown to the model mid-turn) or `removed`."""
    time: str | None = None
    author: Author = Author.HUMAN
    """A person, or the client, which queues its own notifications (`Author.NOTIFICATION`)."""
    is_told: bool = False
    """Whether a message of the conversation shows it."""

    @property
    def is_shown(self) -> bool:
        """Whether a reader sees it: a person's words that no message shows, and that were not taken back."""
        return self.author is Author.HUMAN and not self.is_told and self.state in ("waiting", "absorbed")


class Permission(Item, tag="permission"):
    """A permission request over the control channel, as far as the record shows it."""

    request_id: str
    tool_use_id: str | None = None
    tool_name: str | None = None
    state: str = "open"
    """`open`, `allowed`, `denied`, `cancelled` or `settled` (the tool ran or was refused by other means)."""
    time: str | None = None


class Agent(Item, tag="agent"):
    """A sub-agent; its messages carry its id in `agent`."""

    call: str | None = None
    """The tool call that started it."""
    parent: str = MAIN
    type: str | None = None
    description: str | None = None
    status: str | None = None
    is_background: bool = False
    depth: int | None = None


class ModeChange(Item, tag="mode"):
    """The permission mode, from here on."""

    mode: str
    time: str | None = None


class McpServer(Struct, frozen=True):
    name: str
    status: str | None = None


class Session(Item, tag="session"):
    """The facts about the whole conversation; put again whenever one changes."""

    session_id: str
    title: str | None = None
    title_source: str | None = None
    """`custom`, `ai`, `summary` or `prompt`."""
    first_prompt: str | None = None
    """How the first thing begins that a person asked, on one line."""
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
    """The one that did most of the work first (output tokens, then messages), the others by first sight."""
    tokens: Tokens = Tokens()
    """Once per message id, the maximum of each field."""
    turn_tokens: Tokens = Tokens()
    """What the turn results report: another figure for the same work, never added to `tokens`."""
    has_message_usage: bool = False
    messages_counted: int = 0
    """Messages of the API that tell tokens."""
    messages_unended: int = 0
    """Those of them that do not say how they ended: their output count may be a placeholder."""
    state_cost_usd: float | None = None
    """The last cumulative total the client wrote into its session file."""
    unread: int = 0
    messages: int = 0
    """Distinct assistant messages."""


class Remove(Struct, tag="remove", tag_field="change"):
    """The item of this id is gone: what it showed is shown elsewhere now, or was provisional."""

    id: str


class Append(Struct, tag="append", tag_field="change"):
    """More text for a block that is still growing."""

    id: str
    text: str


class Reach(Struct, tag="reach", tag_field="change", gc=False):
    """The session goes on to this time at least."""

    time: str


Change = Item | Remove | Append | Reach


class SideFile(Struct, frozen=True):
    """A tool result's whole output in a file of its own."""

    name: str
    path: str
    size_bytes: int | None
    """None when the file is not there (any more)."""
