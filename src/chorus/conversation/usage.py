"""Tokens, counted once: per message id, the maximum of each field."""

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


def raise_to(known: Tokens, other: Tokens, total: Tokens) -> bool:
    """Lift each field of `known` to that of `other` and add the difference to `total`; tells whether any rose."""
    if known == other:
        return False
    rose = False
    for name in _FIELDS:
        gain = getattr(other, name) - getattr(known, name)
        if gain > 0:
            setattr(known, name, getattr(other, name))
            setattr(total, name, getattr(total, name) + gain)
            rose = True
    return rose


def add(total: Tokens, other: Tokens) -> None:
    for name in _FIELDS:
        setattr(total, name, getattr(total, name) + getattr(other, name))


_FIELDS = Tokens.__struct_fields__
