"""Messages and the content blocks inside them."""

from typing import Annotated

from msgspec import Raw, Struct

from chorus.core.records.model.base import ABSENT, TOOL_INPUT, TOOL_OUTPUT, Lazy

BLOCK_FIELDS: dict[str, tuple[str, ...]] = {
    "text": ("text", "citations", "cache_control"),
    "thinking": ("thinking", "signature"),
    "redacted_thinking": ("data",),
    "tool_use": ("id", "name", "input", "caller", "cache_control"),
    "tool_result": ("tool_use_id", "content", "is_error", "cache_control"),
    "image": ("source", "cache_control"),
    "document": ("source", "title", "citations", "cache_control"),
    "tool_reference": ("tool_name",),
    "server_tool_use": ("id", "name", "input", "caller"),
    "mcp_tool_use": ("id", "name", "input", "caller"),
    "*_tool_result": ("tool_use_id", "content", "is_error", "caller"),
    "fallback": ("text",),
}
"""The types of content blocks that the model knows, and the fields of each. The first field is the main one.

A `*` in a type matches any text. Of `fallback` only the name is known.
"""
BLOCK_TYPES = tuple(BLOCK_FIELDS)


class Source(Struct, kw_only=True, gc=False):
    """Where an image or document comes from."""

    type: str | None = None
    media_type: str | None = None
    data: str | None = None
    url: str | None = None
    file_id: str | None = None


class CacheControl(Struct, kw_only=True, gc=False):
    type: str | None = None
    ttl: str | None = None


class Caller(Struct, kw_only=True, gc=False):
    """The origin of a tool call: the model itself (`direct`), or code that it runs."""

    type: str | None = None
    tool_id: str | None = None


class Block(Struct, kw_only=True, gc=False):
    """One content block of any type. Fields that its type does not have are empty.

    Tool bodies stay bytes (`input` of a call, `content` of a result), because the tool defines their format.
    """

    type: str = ""
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    data: str | None = None
    id: str | None = None
    name: str | None = None
    input: Annotated[Raw, TOOL_INPUT] = ABSENT
    caller: Annotated[Raw, Lazy(Caller)] = ABSENT
    tool_use_id: str | None = None
    content: Annotated[Raw, TOOL_OUTPUT, Lazy(lambda: str | list[Block])] = ABSENT
    is_error: bool | None = None
    source: Source | None = None
    cache_control: CacheControl | None = None
    title: str | None = None
    tool_name: str | None = None
    citations: Raw = ABSENT


class CacheCreation(Struct, kw_only=True, gc=False):
    ephemeral_5m_input_tokens: int | None = None
    ephemeral_1h_input_tokens: int | None = None


class ServerToolUse(Struct, kw_only=True, gc=False):
    web_search_requests: int | None = None
    web_fetch_requests: int | None = None


class OutputTokensDetails(Struct, kw_only=True, gc=False):
    thinking_tokens: int | None = None


class Iteration(Struct, kw_only=True, gc=False):
    """One pass of the model inside a message."""

    type: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation: CacheCreation | None = None


class Usage(Struct, kw_only=True, gc=False):
    """The tokens of one API message. They are repeated on every line of the message."""

    input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation: CacheCreation | None = None
    output_tokens: int | None = None
    service_tier: str | None = None
    inference_geo: str | None = None
    server_tool_use: ServerToolUse | None = None
    output_tokens_details: OutputTokensDetails | None = None
    iterations: Annotated[Raw, Lazy(list[Iteration])] = ABSENT
    speed: str | None = None
    fallback_credit: Raw = ABSENT


class AppliedEdits(Struct, kw_only=True, gc=False):
    """What the API removed from the context before it answered."""

    applied_edits: Raw = ABSENT


class StopDetails(Struct, kw_only=True, gc=False):
    type: str | None = None
    category: str | None = None
    explanation: str | None = None


class OutputConfig(Struct, kw_only=True, gc=False):
    effort: str | None = None


class Message(Struct, kw_only=True, gc=False):
    """An API message, from the model or to the model."""

    model: str | None = None
    id: str | None = None
    type: str | None = None
    role: str | None = None
    content: str | list[Block] | None = None
    stop_reason: str | None = None
    stop_sequence: str | None = None
    stop_details: Annotated[Raw, Lazy(StopDetails)] = ABSENT
    usage: Usage | None = None
    context_management: Annotated[Raw, Lazy(AppliedEdits)] = ABSENT
    container: Raw = ABSENT
    diagnostics: Raw = ABSENT
    output_config: Annotated[Raw, Lazy(OutputConfig)] = ABSENT
