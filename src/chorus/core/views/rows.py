"""The rows of a transcript: each has a header and view blocks below it. They are plain data, like the blocks.

`chorus.core.views.transcript` builds them; front ends draw them in the given order.
"""

from typing import Union

from msgspec import Struct

from chorus.core.conversation.items import Tokens
from chorus.core.conversation.tool_facts import ToolIcon
from chorus.core.views.blocks import Block


class RowBase(Struct, frozen=True, kw_only=True, tag_field="type"):
    id: str
    time: str | None = None
    """The timestamp of the record, ISO 8601."""


class SubAgent(Struct, frozen=True, kw_only=True):
    """The transcript of a sub-agent, or a hint where it is shown (`elsewhere`)."""

    id: str
    kind: str
    description: str
    status: str | None
    is_background: bool
    rows: "tuple[Row, ...]" = ()
    elsewhere: str | None = None
    entries: int = 0
    """How many entries its thread has, if `rows` does not contain them."""


class ToolCall(Struct, frozen=True, kw_only=True, tag="call", tag_field="type"):
    """A tool call with its result and the sub-agent that it started."""

    id: str
    name: str
    label: str
    """The display name of the tool."""
    title: str
    state: str
    """The value of a `CallState`."""
    icon: ToolIcon = "tool"
    title_is_path: bool = False
    """Whether the title is a path or a pattern, and no prose."""
    opens_by_itself: bool = False
    """Whether the call is shown unfolded, because it is words to or from a person."""
    time: str | None = None
    duration_ms: float | None = None
    permission: str | None = None
    decided_by: str | None = None
    """Who or what refused or allowed the call, if that is recorded."""
    refers: str | None = None
    """The id of the background shell, task or agent that the call refers to."""
    asked: tuple[Block, ...] = ()
    """What the tool was asked to do."""
    agent: SubAgent | None = None
    given: tuple[Block, ...] = ()
    """What the tool returned."""


class MessageRow(RowBase, frozen=True, tag="message"):
    """A message of one author, and the calls in it."""

    author: str
    """The value of an `Author`."""
    model: str | None = None
    duration_ms: float | None = None
    tokens: Tokens | None = None
    """Without a `stop_reason`, the output is a lower bound: clients write the final number with the reason."""
    cost_usd: float | None = None
    stop_reason: str | None = None
    error: str | None = None
    is_partial: bool = False
    is_unfinished: bool = False
    """Whether the message was cut off and never completed."""
    is_queued: bool = False
    is_abandoned: bool = False
    """Whether the message is on a branch that the conversation left."""
    pieces: "tuple[Piece, ...]" = ()


class TurnRow(RowBase, frozen=True, tag="turn"):
    """How a turn ended."""

    outcome: str
    is_error: bool = False
    duration_ms: float | None = None
    duration_api_ms: float | None = None
    """For how much of `duration_ms` the client waited for the API."""
    stop_reason: str | None = None
    """Why the model stopped."""
    num_turns: int | None = None
    tokens: Tokens | None = None
    cost_usd: float | None = None
    blocks: tuple[Block, ...] = ()


class CompactionRow(RowBase, frozen=True, tag="compaction"):
    """At this point the client replaced the earlier conversation by a summary for the model."""

    trigger: str | None = None
    pre_tokens: int | None = None
    post_tokens: int | None = None


class QueuedRow(RowBase, frozen=True, tag="queued"):
    """Input that waits for the agent, or that the agent received in the middle of a turn."""

    is_waiting: bool = True
    blocks: tuple[Block, ...] = ()


class ModeRow(RowBase, frozen=True, tag="mode"):
    """The permission mode from this point on."""

    mode: str


class NoticeRow(RowBase, frozen=True, tag="notice"):
    """A record that is no message."""

    title: str
    is_internal: bool = False
    blocks: tuple[Block, ...] = ()


class BranchRow(RowBase, frozen=True, tag="branch"):
    """The start of a branch: a continuation of an earlier message, either abandoned or active."""

    is_abandoned: bool
    at: str
    """The id of the message that the branch continues."""
    words: str
    """The beginning of that message."""


class OrphanRow(RowBase, frozen=True, tag="orphan"):
    """A result whose call was not recorded."""

    call: ToolCall


class AgentRow(RowBase, frozen=True, tag="agent"):
    """A sub-agent that was not started by any displayed call."""

    agent: SubAgent


Piece = Union[Block, ToolCall]  # noqa: UP007 - an alias that forward references can name
Row = MessageRow | TurnRow | CompactionRow | QueuedRow | ModeRow | NoticeRow | BranchRow | OrphanRow | AgentRow
