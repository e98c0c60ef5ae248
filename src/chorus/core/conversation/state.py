"""What the fold stores between two records: ids, places, counters and short facts, but never a payload.

All of it can be written to bytes and read back (`dump`, `load`), so that a fold can stop at any record and continue in
another process. Values that several streams state are stored with the order key of the record that stated them, so
that the result does not depend on which stream was read first.
"""

from functools import cache
from typing import Any

import msgspec
from msgspec import Struct, field

from chorus.core.conversation import items
from chorus.core.conversation.comparison import ContentDigests
from chorus.core.conversation.items import Order, Tokens
from chorus.core.conversation.open_calls import OpenCalls
from chorus.core.records.bounded import encoded
from chorus.core.records.place import Place

VERSION = 14
"""Increased when states of older versions can no longer be read. Then all records are folded again."""


class StreamState(Struct):
    """Facts about the part of one stream that was read."""

    rank: int
    latest: str = ""
    """The highest time so far. It orders the records of this stream among those of other streams."""
    version: str | None = None
    mode: str | None = None
    cwd: str | None = None
    branch: str | None = None
    slug: str | None = None
    sidechains: dict[str, str] = field(default_factory=dict)
    """Line uuid → agent, for lines of sub-agents inside the main file."""
    open_message: dict[str, str] = field(default_factory=dict)
    """Agent → id of the API message that stream events are building."""
    waiting: list[tuple[str, str]] = field(default_factory=list)
    """Queued inputs that are not taken yet: (item id, digest of the text)."""
    withdrawn: list[tuple[str, str]] = field(default_factory=list)
    """Queued inputs that left the queue and are not part of a message so far."""
    last_line: str | None = None
    retried: Order | None = None
    """The first API call since the last message that was tried again. On standard output, the prompt of this call comes
    after it."""
    has_agents: bool = False
    """Whether the stream has lines of sub-agents."""
    flat: "FlatState | None" = None


class FlatState(Struct):
    """The assistant message that flat events are building."""

    message: str
    segments: list[list[str]] = field(default_factory=lambda: [[]])
    """Ids of text blocks, one list for each part between tool results."""
    digests: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0)])
    calls: list[list[str]] = field(default_factory=lambda: [[]])
    open_block: str | None = None
    is_broken: bool = False
    """Whether the last record was not part of the message: what follows is shown after that record."""
    messages: int = 1
    """Number of messages that show it: one, plus one for each interruption."""


class LineState(Struct, gc=False):
    """A line of which other streams may contain a copy."""

    authority: int
    order: Order
    blocks: int
    time: str | None = None
    message: str | None = None
    """The message that contains it; None if it is shown as a notice."""


class AgentLines(Struct):
    """The lines of a sub-agent that show the same call or record, all under equally specific ids of the agent."""

    weight: int
    messages: dict[str, str] = field(default_factory=dict)
    """Line → its message."""


class MessageState(Struct):
    item: items.Message
    shown: dict[str, tuple[int, Order, str | None]] = field(default_factory=dict)
    """Lines that are shown as part of it → authority, order key, uuid."""
    first: tuple[int, Order, str | None] | None = None
    """The lowest of these values; None if it must be searched."""
    waiting: list[tuple[tuple[int, Order, str | None], str]] = field(default_factory=list)
    """A heap of places and lines. It is filled when the message loses its first line, and emptied when all lines are
    gone. It may contain lines that are no longer shown. Empty for nearly all messages.
    """
    covered: int = 0
    """Number of complete blocks. Stream events of these blocks are no longer shown."""
    partials: dict[int, None] = field(default_factory=dict)
    """Indexes of blocks that stream events announced. A dict keeps the order, so that equal states give equal bytes."""


class CallState(Struct):
    item: items.Call
    rank: tuple[int, int, Order] | None = None
    """Rank of the line with the call; None while only the result is known."""
    result_rank: tuple[int, int, Order] | None = None
    failed: bool = False
    verdict: tuple[str, str | None] | None = None
    """The decision about the call according to the record of its result, and who decided."""
    outcome: tuple[str | None, str | None, str | None, bool | None] | None = None
    """What the result says about a sub-agent, until it is known whether the call started one."""

    @property
    def has_call(self) -> bool:
        return self.rank is not None


class ApiMessage(Struct):
    """Facts about an API message, from all lines with its id."""

    tokens: Tokens | None = None
    model: str | None = None
    stop_reason: str | None = None
    stop_at: Order | None = None
    service_tier: str | None = None
    request_id: str | None = None
    started_at: str | None = None
    ended_at: str | None = None
    cost_usd: float | None = None
    duration_ms: float | None = None
    error: str | None = None
    doubt: str | None = None
    start_digest: int = 0
    """A digest of its first block, its model and its time."""
    start_read_at: tuple[int, Order] | None = None
    """Authority and order key of the line from which `start_digest` was computed."""
    stream: str | None = None
    """The first stream that contains it."""
    reported: dict[int, tuple[Tokens, bool]] = field(default_factory=dict)
    """If streams are compared: origin → tokens in these streams, and whether these streams contain a stop reason."""
    is_cut: bool = False
    """Whether its stream continued without ending it, or one of its lines says that it was cut off."""
    worked: int = -1
    """Output tokens that were counted as work of its model; -1 if none were counted yet."""
    shown_as: list[str] = field(default_factory=list)
    """Ids of the message items that show it. Copies in the threads of several agents share its facts."""


class Register(Struct):
    """A value with the order key of the record that stated it."""

    at: Order
    value: Any


class SharedPrompt(Struct):
    """The calls that sent the same prompt and the agents that received it, both in order."""

    calls: list[tuple[Order, str]] = field(default_factory=list)
    agents: list[tuple[Order, str]] = field(default_factory=list)


class AgentState(Struct):
    item: items.Agent
    first_line: Order | None = None
    is_call_named: bool = False
    """Whether a record names the call; if not, the call was found by its prompt."""
    times: tuple[str, str] | None = None
    """The first and last time of its lines, while the call that started it is not known."""


class AgentReports(Struct):
    """What was reported about the ids of one agent, if there are many of them."""

    last: tuple[Order, str, str] | None = None
    """The last report: its order key, the id it is about, and the status."""
    finished: int = 0
    """The number of ids that have finished according to their sidecars."""


class Rewind(Struct):
    """A return of a person to an earlier line, with no message after it."""

    item: items.Message
    """The message that shows it. It has a parent as soon as it is shown."""
    leaf: str | None
    """The line to which the person returned; None for the beginning."""
    place: Place


class State(Struct):
    session: items.Session
    records: int = 0
    streams: dict[str, StreamState] = field(default_factory=dict)
    lines: dict[str, LineState] = field(default_factory=dict)
    """Line uuid (for a sub-agent with the agent id in front) → the copy of the line that is shown."""
    agent_lines: dict[str, AgentLines] = field(default_factory=dict)
    """Call id or line uuid, for sub-agents → the lines that show it."""
    turn_tokens: dict[str, Tokens] = field(default_factory=dict)
    """Turn → the tokens that were counted for it."""
    followers: dict[str, list[items.Turn]] = field(default_factory=dict)
    """Line id → turns after this line, in streams without times."""
    messages: dict[str, MessageState] = field(default_factory=dict)
    calls: dict[str, CallState] = field(default_factory=dict)
    agents: dict[str, AgentState] = field(default_factory=dict)
    agents_of_call: dict[str, list[str]] = field(default_factory=dict)
    """Call → ids of the agent that it started, the most specific id first."""
    reports_of_call: dict[str, AgentReports] = field(default_factory=dict)
    """Call → reports about its agent, as long as no id of the agent was removed."""
    linked_agents: dict[str, str] = field(default_factory=dict)
    """Call → the agent that it started or resumed, according to a record."""
    agents_at_work: dict[str, bool] = field(default_factory=dict)
    """Running agents → whether a call waits for them."""
    shared_prompts: dict[str, SharedPrompt] = field(default_factory=dict)
    """Digest of a prompt → the calls and agents with this prompt that no record pairs."""
    prompt_of: dict[str, tuple[str, Order]] = field(default_factory=dict)
    """Call or agent → the digest of its prompt, and the order key of the record with the prompt."""
    anchors: dict[str, str] = field(default_factory=dict)
    """Line uuid → the message that a child of this line continues."""
    starts: dict[str, str] = field(default_factory=dict)
    """Beginning of the conversation → its first message."""
    orphans: dict[str, list[tuple[str, bool]]] = field(default_factory=dict)
    """Uuid of a parent that was not read yet → what waits for it: (line uuid or message id, is it a message)."""
    rewind: Rewind | None = None
    """The last rewind, until the conversation continues."""
    api_messages: dict[str, ApiMessage] = field(default_factory=dict)
    """By message id, or by item id for messages without one."""
    versions: dict[str, Order] = field(default_factory=dict)
    models: dict[str, Order] = field(default_factory=dict)
    work: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Model → (output tokens, messages)."""
    registers: dict[str, Register] = field(default_factory=dict)
    permissions: dict[str, items.Permission] = field(default_factory=dict)
    open_requests: dict[str, None] = field(default_factory=dict)
    """Ids of open permission requests."""
    requests_of_call: dict[str, list[str]] = field(default_factory=dict)
    summaries: dict[str, list[tuple[Order, str]]] = field(default_factory=dict)
    """Uuid of a line that was not read → titles that old clients gave to the thread that ends there."""
    pending: OpenCalls = field(default_factory=OpenCalls)
    queued: dict[str, items.Queued] = field(default_factory=dict)
    comparison: ContentDigests = field(default_factory=ContentDigests)


@cache
def _decoder() -> msgspec.msgpack.Decoder[tuple[int, State]]:
    """Creates the decoder on first use: it takes long, and most folds start without a saved state."""
    return msgspec.msgpack.Decoder(tuple[int, State])


def dump(state: State) -> bytes:
    """Returns the state as bytes, with the version of the format."""
    return encoded((VERSION, state))


def load(data: bytes) -> State | None:
    """Returns the state in `data`, or None if another version of the fold saved it."""
    version = msgspec.msgpack.decode(data, type=tuple[int, msgspec.Raw])[0]
    return _decoder().decode(data)[1] if version == VERSION else None
