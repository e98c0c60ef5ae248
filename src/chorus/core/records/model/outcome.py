"""Costs and outcome of a turn: parts of `result` and of other lines with totals."""

from typing import Annotated

from msgspec import Raw, Struct

from chorus.core.records.model.base import ABSENT, TOOL_INPUT


class ModelUsage(Struct, kw_only=True):
    """Totals of one model. The key in the enclosing map is the name of the model."""

    inputTokens: int | None = None
    outputTokens: int | None = None
    thinkingTokens: int | None = None
    cacheReadInputTokens: int | None = None
    cacheCreationInputTokens: int | None = None
    cacheCreationEphemeral5mInputTokens: int | None = None
    cacheCreationEphemeral1hInputTokens: int | None = None
    webSearchRequests: int | None = None
    costUSD: float | None = None
    contextWindow: int | None = None
    maxOutputTokens: int | None = None
    canonicalModel: str | None = None
    provider: str | None = None
    costBasis: str | None = None


class PermissionDenial(Struct, kw_only=True):
    tool_name: str | None = None
    tool_use_id: str | None = None
    tool_input: Annotated[Raw, TOOL_INPUT] = ABSENT


class Requested(Struct, kw_only=True):
    background: int | None = None
    foreground: int | None = None
    unset: int | None = None


class Killed(Struct, kw_only=True):
    parent: int | None = None
    user: int | None = None
    system: int | None = None


class Refused(Struct, kw_only=True):
    depth_limit: int | None = None
    concurrency_limit: int | None = None
    budget: int | None = None


class SubagentStats(Struct, kw_only=True):
    spawned: int | None = None
    requested: Requested | None = None
    started_in_background: int | None = None
    max_depth: int | None = None
    spawned_by_subagents: int | None = None
    completed: int | None = None
    failed: int | None = None
    killed: Killed | None = None
    refused: Refused | None = None
    by_type: dict[str, int] | None = None


class TokenCount(Struct, kw_only=True):
    """A named part of the context. `kind` says whether it is used, deferred, free or reserved."""

    id: str | None = None
    name: str | None = None
    tokens: int | None = None
    kind: str | None = None
    color: str | None = None
    isDeferred: bool | None = None
    source: str | None = None


class ContextUsage(Struct, kw_only=True):
    """The answer to `/context`, as data."""

    model: str | None = None
    total_tokens: int | None = None
    raw_max_tokens: int | None = None
    percentage: float | None = None
    categories: list[TokenCount] | None = None
    mcp_tools: list[TokenCount] | None = None
    memory_files: list[TokenCount] | None = None
    agents: list[TokenCount] | None = None
    skills: list[TokenCount] | None = None


class CommandRun(Struct, kw_only=True):
    """A slash command that the client answered without the model."""

    command: str | None = None
    args: str | None = None
