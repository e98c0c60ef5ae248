"""Tokens, counted once: per message id, the maximum of each field."""

from msgspec import structs

from chorus.conversation.items import Tokens
from chorus.records.model.blocks import Usage
from chorus.records.model.turns import FlatUsage

SYNTHETIC_MODEL = "<synthetic>"
"""The model name of text the client made up itself; such messages used no tokens."""


def tokens_of(usage: Usage) -> Tokens:
    cache, server = usage.cache_creation, usage.server_tool_use
    return Tokens(
        usage.input_tokens or 0,
        usage.output_tokens or 0,
        usage.cache_creation_input_tokens or 0,
        usage.cache_read_input_tokens or 0,
        (cache.ephemeral_5m_input_tokens or 0) if cache else 0,
        (cache.ephemeral_1h_input_tokens or 0) if cache else 0,
        (server.web_search_requests or 0) if server else 0,
        (server.web_fetch_requests or 0) if server else 0,
    )


def tokens_of_flat(usage: FlatUsage) -> Tokens:
    return Tokens(usage.inputTokens or 0, usage.outputTokens or 0)


def highest(known: Tokens, other: Tokens) -> Tokens:
    """Of each field the maximum; `known` itself when nothing rises."""
    if known == other:
        return known
    pairs = zip(structs.astuple(known), structs.astuple(other), strict=True)
    risen = Tokens(*[max(mine, theirs) for mine, theirs in pairs])
    return known if risen == known else risen


def plus(total: Tokens, more: Tokens, less: Tokens | None = None) -> Tokens:
    """`total` with `more` added and, where it was counted before, `less` taken away."""
    sums = [mine + theirs for mine, theirs in zip(structs.astuple(total), structs.astuple(more), strict=True)]
    if less is not None:
        sums = [mine - theirs for mine, theirs in zip(sums, structs.astuple(less), strict=True)]
    return Tokens(*sums)
