"""The rows of a transcript: a header each, and the blocks below it. Plain data, like the blocks.

`chorus.core.views.transcript` makes them; doors draw them in the order they come.
"""

from typing import Union

from msgspec import Struct

from chorus.core.conversation.items import Tokens
from chorus.core.conversation.tool_facts import ToolIcon
from chorus.core.views.blocks import Block


class RowBase(Struct, frozen=True, kw_only=True, tag_field="type"):
    id: str
    time: str | None = None
    """As the record has it, ISO 8601."""


class SubAgent(Struct, frozen=True, kw_only=True):
    """A sub-agent's own transcript, or a word on where it is (`elsewhere`)."""

    id: str
    kind: str
    description: str
    status: str | None
    is_background: bool
    rows: "tuple[Row, ...]" = ()
    elsewhere: str | None = None
    entries: int = 0
    """How many entries its thread has, where its rows are not here."""


class ToolCall(Struct, frozen=True, kw_only=True, tag="call", tag_field="type"):
    """A tool call with its result, and below it the sub-agent it started."""

    id: str
    name: str
    label: str
    """What to call the tool."""
    title: str
    state: str
    """A `CallState`."""
    icon: ToolIcon = "tool"
    title_is_path: bool = False
    """Whether the title is a path or a pattern, and no prose."""
    opens_by_itself: bool = False
    """Whether the call is shown unfolded: it is words to or from a person."""
    time: str | None = None
    duration_ms: float | None = None
    permission: str | None = None
    decided_by: str | None = None
    """Who or what refused the call or let it run, where that is told."""
    refers: str | None = None
    """The id of the background shell, task or agent that the call is about."""
    asked: tuple[Block, ...] = ()
    """What the tool was asked to do."""
    agent: SubAgent | None = None
    given: tuple[Block, ...] = ()
    """What it gave back."""


class MessageRow(RowBase, frozen=True, tag="message"):
    """What one author said, and the calls made in saying it."""

    author: str
    """An `Author`."""
    model: str | None = None
    duration_ms: float | None = None
    tokens: Tokens | None = None
    cost_usd: float | None = None
    stop_reason: str | None = None
    error: str | None = None
    is_partial: bool = False
    is_unfinished: bool = False
    """Cut off, and never written to its end."""
    is_queued: bool = False
    is_abandoned: bool = False
    """On a branch that the conversation left."""
    pieces: "tuple[Piece, ...]" = ()


class TurnRow(RowBase, frozen=True, tag="turn"):
    """How a turn ended."""

    outcome: str
    is_error: bool = False
    duration_ms: float | None = None
    duration_api_ms: float | None = None
    """How much of it the client waited for the API."""
    stop_reason: str | None = None
    """Why the model stopped."""
    num_turns: int | None = None
    tokens: Tokens | None = None
    cost_usd: float | None = None
    blocks: tuple[Block, ...] = ()


class CompactionRow(RowBase, frozen=True, tag="compaction"):
    """Here what came before was summed up for the model."""

    trigger: str | None = None
    pre_tokens: int | None = None
    post_tokens: int | None = None


class QueuedRow(RowBase, frozen=True, tag="queued"):
    """Input that waits for the agent, or was shown to it in the middle of a turn."""

    is_waiting: bool = True
    blocks: tuple[Block, ...] = ()


class ModeRow(RowBase, frozen=True, tag="mode"):
    """The permission mode, from here on."""

    mode: str


class NoticeRow(RowBase, frozen=True, tag="notice"):
    """A record that is no message."""

    title: str
    is_internal: bool = False
    blocks: tuple[Block, ...] = ()


class BranchRow(RowBase, frozen=True, tag="branch"):
    """A continuation of an earlier message begins: one that was left, or the one that goes on."""

    is_abandoned: bool
    at: str
    """The id of the message it continues."""
    words: str
    """How that message begins."""


class OrphanRow(RowBase, frozen=True, tag="orphan"):
    """A result whose call is not in the record."""

    call: ToolCall


class AgentRow(RowBase, frozen=True, tag="agent"):
    """A sub-agent that no call on display started."""

    agent: SubAgent


Piece = Union[Block, ToolCall]  # noqa: UP007 - an alias that forward references can name
Row = MessageRow | TurnRow | CompactionRow | QueuedRow | ModeRow | NoticeRow | BranchRow | OrphanRow | AgentRow
