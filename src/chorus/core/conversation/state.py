"""What the fold remembers between two records: ids, places, counters and short facts; never a payload.

Everything here can be written to bytes and read back (`dump`, `load`), so that a fold can stop at any record and go
on elsewhere. Values that several streams state are kept with the order key of the record that stated them, so that
the outcome does not depend on which stream was read first.
"""

from functools import cache
from typing import Any

import msgspec
from msgspec import Struct, field

from chorus.core.conversation import items
from chorus.core.conversation.comparison import Comparison
from chorus.core.conversation.items import Order, Tokens
from chorus.core.records.bounded import encoded
from chorus.core.records.place import Place

VERSION = 10
"""Grows when a saved state of an older version could no longer be understood; such a state is folded anew."""


class StreamState(Struct):
    """Facts of one stream's prefix."""

    rank: int
    latest: str = ""
    """The highest time seen so far; orders its records among those of other streams."""
    version: str | None = None
    mode: str | None = None
    cwd: str | None = None
    branch: str | None = None
    slug: str | None = None
    sidechains: dict[str, str] = field(default_factory=dict)
    """Line uuid → agent, for sub-agent lines inside the main file."""
    open_message: dict[str, str] = field(default_factory=dict)
    """Agent → API message id that stream events are building."""
    waiting: list[tuple[str, str]] = field(default_factory=list)
    """Queued inputs not yet taken: (item id, digest of the text)."""
    withdrawn: list[tuple[str, str]] = field(default_factory=list)
    """Those that left the queue, and did not become a message so far."""
    last_line: str | None = None
    retried: Order | None = None
    """The first call of the API that was tried again since something was said: on standard output the prompt that it
    was for comes after it."""
    has_agents: bool = False
    """Whether a sub-agent spoke in it."""
    flat: "FlatState | None" = None


class FlatState(Struct):
    """The assistant message that flat events are building."""

    message: str
    segments: list[list[str]] = field(default_factory=lambda: [[]])
    """Text blocks, grouped by the tool results between them."""
    digests: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0)])
    calls: list[list[str]] = field(default_factory=lambda: [[]])
    open_block: str | None = None
    is_broken: bool = False
    """Whether something that is no part of it came last: what follows stands after that."""
    messages: int = 1
    """The messages that show it: one, and one more for each time it was broken."""


class LineState(Struct, gc=False):
    """A line that may come again from another stream."""

    authority: int
    order: Order
    blocks: int
    time: str | None = None
    message: str | None = None
    """The message it is part of; None when it is shown as a notice."""


class Holder(Struct, gc=False):
    """A sub-agent's line under one of the agent's ids."""

    weight: int
    line: str
    message: str


class MessageState(Struct):
    item: items.Message
    shown: dict[str, tuple[int, Order, str | None]] = field(default_factory=dict)
    """Lines shown as part of it → authority, place in the order, uuid."""
    first: tuple[int, Order, str | None] | None = None
    """The least of these; None where it has to be looked for."""
    waiting: list[tuple[tuple[int, Order, str | None], str]] = field(default_factory=list)
    """A heap of places and lines, from when a message first lost its first line until all of its lines are gone. What
    is no longer shown may still be in it. Empty for nearly all messages.
    """
    covered: int = 0
    """Full blocks seen; stream events of these are no longer shown."""
    partials: dict[int, None] = field(default_factory=dict)
    """Blocks that stream events announced: a set in the order they came, so that a state is dumped alike each time."""


class CallState(Struct):
    item: items.Call
    rank: tuple[int, int, Order] | None = None
    """Weight of the line the call was read from; None while only its result is known."""
    result_rank: tuple[int, int, Order] | None = None
    failed: bool = False
    verdict: tuple[str, str | None] | None = None
    """What the result's record says was decided about the call, and by whom."""
    outcome: tuple[str | None, str | None, str | None, bool | None] | None = None
    """What the result says of a sub-agent, kept until it is known whether the call started one."""

    @property
    def has_call(self) -> bool:
        return self.rank is not None


class ApiMessage(Struct):
    """Facts about a message of the API, from all lines that carry its id."""

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
    says: int = 0
    """A digest of how it begins, and when."""
    says_at: tuple[int, Order] | None = None
    """Authority and place of the line that this was read from."""
    stream: str | None = None
    """The first stream that holds it."""
    told: dict[int, tuple[Tokens, bool]] = field(default_factory=dict)
    """Where streams are compared: origin → what those streams tell, and whether they tell how the message ended."""
    is_cut: bool = False
    """Whether its stream went on without ending it, or a line of it says that it was cut off."""
    worked: int = -1
    """Output tokens counted as its model's work; less than none while it was not counted at all."""
    shown_as: list[str] = field(default_factory=list)
    """Ids of the message items that show it (copies below several agents share its facts)."""


class Register(Struct):
    """A value together with the place in the order where it was stated."""

    at: Order
    value: Any


class Errand(Struct):
    """Calls that sent the same prompt, and agents that received it; in order."""

    calls: list[tuple[Order, str]] = field(default_factory=list)
    agents: list[tuple[Order, str]] = field(default_factory=list)


class AgentState(Struct):
    item: items.Agent
    first_line: Order | None = None
    is_said: bool = False
    """Whether a record names the call; else the prompt's words led to it."""
    times: tuple[str, str] | None = None
    """The first and last time of its lines, as long as no call is known to have started it."""


class Rewind(Struct):
    """A person went back, and nothing was said since."""

    item: items.Message
    """What stands for it; it has a parent once it is shown."""
    leaf: str | None
    """The line that the person went back to; None for the beginning."""
    place: Place


class State(Struct):
    session: items.Session
    records: int = 0
    streams: dict[str, StreamState] = field(default_factory=dict)
    lines: dict[str, LineState] = field(default_factory=dict)
    """Line uuid (below an agent: the agent's id in front) → who holds it."""
    holders: dict[str, list[Holder]] = field(default_factory=dict)
    """Call id or line uuid, below agents → the lines that show it."""
    turn_tokens: dict[str, Tokens] = field(default_factory=dict)
    """Turn → the tokens counted for it."""
    followers: dict[str, list[items.Turn]] = field(default_factory=dict)
    """Line id → turns that a stream without times reports after it."""
    messages: dict[str, MessageState] = field(default_factory=dict)
    calls: dict[str, CallState] = field(default_factory=dict)
    agents: dict[str, AgentState] = field(default_factory=dict)
    agents_of_call: dict[str, list[str]] = field(default_factory=dict)
    """Call → ids of the agent it started, the one that says most first."""
    resumers: dict[str, str] = field(default_factory=dict)
    """Call → the agent that it started or resumed, as a record says."""
    agents_at_work: dict[str, bool] = field(default_factory=dict)
    """Agents at work → whether a call waits for them."""
    errands: dict[str, Errand] = field(default_factory=dict)
    """Digest of a prompt → who sent and who received it, as far as no record says who belongs to whom."""
    errand_of: dict[str, tuple[str, Order]] = field(default_factory=dict)
    """Call or agent → the digest of its prompt, and where that stands in the order."""
    anchors: dict[str, str] = field(default_factory=dict)
    """Line uuid → the message a child of that line continues."""
    starts: dict[str, str] = field(default_factory=dict)
    """Beginning of the conversation → the first message seen there."""
    orphans: dict[str, list[tuple[str, bool]]] = field(default_factory=dict)
    """Parent uuid not seen yet → what waits for it: (line uuid or message id, is it a message)."""
    rewind: Rewind | None = None
    """The last one, as long as the conversation did not go on."""
    api_messages: dict[str, ApiMessage] = field(default_factory=dict)
    """By message id; by item id for messages without one."""
    versions: dict[str, Order] = field(default_factory=dict)
    models: dict[str, Order] = field(default_factory=dict)
    work: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Model → output tokens, messages."""
    registers: dict[str, Register] = field(default_factory=dict)
    permissions: dict[str, items.Permission] = field(default_factory=dict)
    asking: dict[str, None] = field(default_factory=dict)
    """Permission requests that are open."""
    requests_of_call: dict[str, list[str]] = field(default_factory=dict)
    summaries: dict[str, list[tuple[Order, str]]] = field(default_factory=dict)
    """Uuid of a line not seen here → titles that old clients gave to the thread ending there."""
    pending: dict[str, Order] = field(default_factory=dict)
    queued: dict[str, items.Queued] = field(default_factory=dict)
    comparison: Comparison = field(default_factory=Comparison)


@cache
def _decoder() -> msgspec.msgpack.Decoder[tuple[int, State]]:
    """Takes long to make, and most who fold go on from nothing."""
    return msgspec.msgpack.Decoder(tuple[int, State])


def dump(state: State) -> bytes:
    return encoded((VERSION, state))


def load(data: bytes) -> State | None:
    """The state in `data`, or None when it was saved by another version of the fold."""
    version = msgspec.msgpack.decode(data, type=tuple[int, msgspec.Raw])[0]
    return _decoder().decode(data)[1] if version == VERSION else None
