"""The usage page: what was used and done, in lines that lead to their conversations."""

from typing import Literal

from chorus.show.wire.base import Wire

UsageGrouping = Literal["day", "week", "month", "model", "workspace", "agent", "subagent"]


class UsageLine(Wire, frozen=True):
    """What one group used and cost. A figure that is not known is null."""

    key: str
    label: str
    query: str
    """Selects the conversations that count in this line, in the list of conversations."""
    input: int
    output: int
    cache_creation: int
    cache_read: int
    cache_hit_rate: float | None
    messages: int
    """Messages, and turns that were counted in place of messages."""
    cost_usd: float | None
    is_cost_lower_bound: bool
    is_output_lower_bound: bool
    reported_usd: float | None


class UsageTool(Wire, frozen=True):
    """Calls of a tool, or waiting for people."""

    name: str
    query: str
    """Empty if there is none."""
    calls: int
    errors: int
    error_rate: float | None
    refused: int
    without_result: int
    p50_ms: float | None
    p95_ms: float | None
    total_ms: int | None


class UsageTurn(Wire, frozen=True):
    """One of the most expensive turns."""

    conversation: str
    title: str
    started_at: str
    item: str
    """The id of the prompt, for the address of its place."""
    prompt: str
    cost_usd: float
    is_cost_lower_bound: bool


class UsageLimit(Wire, frozen=True):
    """A limit of the account, as the client reported it last."""

    type: str
    status: str | None
    utilization: float | None
    resets_at_ms: float | None
    reported_at: str | None


class UsageShown(Wire, frozen=True):
    """Everything that the usage page shows."""

    by: UsageGrouping
    since: str | None
    until: str | None
    """The first and the last day, inclusive."""
    is_partial: bool
    """Whether time ran out while the query looked for conversations, so that more may belong to it."""
    lines: tuple[UsageLine, ...]
    total: UsageLine
    conversations: int
    prompts: int
    tools: tuple[UsageTool, ...]
    waiting: tuple[UsageTool, ...]
    turns: UsageTool
    hours: tuple[UsageLine, ...]
    """By weekday and hour; keys like `mon-09`."""
    dearest: tuple[UsageLine, ...]
    """The most expensive conversations; keys are their names."""
    dearest_turns: tuple[UsageTurn, ...]
    limits: tuple[UsageLimit, ...]
    unpriced: tuple[str, ...]
    """Why a part of the cost is not known."""
    prices_dated: str | None
