"""Token counts: each message id is counted once, with the maximum of each field."""

from operator import add, sub

from msgspec import structs

from chorus.core.conversation.items import Tokens
from chorus.core.records.model.blocks import Usage
from chorus.core.records.model.turns import FlatUsage

SYNTHETIC_MODEL = "<synthetic>"
"""The model name of text that the client itself wrote. Such messages used no tokens."""


def tokens_of(usage: Usage) -> Tokens:
    """Returns the tokens in a usage of the API."""
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


def is_same(tokens: Tokens, usage: Usage) -> bool:
    """Returns whether `usage` equals `tokens`. Called often, because every line of a message repeats its usage."""
    return (
        usage.output_tokens == tokens.output
        and usage.input_tokens == tokens.input
        and usage.cache_read_input_tokens == tokens.cache_read
        and usage.cache_creation_input_tokens == tokens.cache_creation
        and (usage.server_tool_use is None or tokens_of(usage) == tokens)
        and (usage.cache_creation is None or usage.cache_creation.ephemeral_5m_input_tokens == tokens.cache_creation_5m)
    )


def tokens_of_flat(usage: FlatUsage) -> Tokens:
    """Returns the tokens in a usage of flat events."""
    return Tokens(usage.inputTokens or 0, usage.outputTokens or 0)


def highest(known: Tokens, other: Tokens) -> Tokens:
    """Returns the maximum of each field; `known` itself if nothing is higher."""
    if known == other:
        return known
    risen = Tokens(*map(max, structs.astuple(known), structs.astuple(other)))
    return known if risen == known else risen


def plus(total: Tokens, more: Tokens, less: Tokens | None = None) -> Tokens:
    """Returns `total` plus `more`, minus `less` if that was counted before."""
    sums = map(add, structs.astuple(total), structs.astuple(more))
    return Tokens(*sums) if less is None else Tokens(*map(sub, sums, structs.astuple(less)))
