"""The log of requests to the API: bodies of `api-request`, `api-request-blob` and `api-request-shape` lines."""

from typing import Annotated

from msgspec import Raw, Struct

from chorus.core.records.model.base import ABSENT, Lazy
from chorus.core.records.model.blocks import Block, CacheControl, OutputConfig
from chorus.core.records.model.schema import WireTool


class Thinking(Struct, kw_only=True):
    type: str | None = None
    display: str | None = None
    budget_tokens: int | None = None


class ContextEdit(Struct, kw_only=True):
    type: str | None = None
    keep: str | None = None


class ContextManagement(Struct, kw_only=True):
    edits: list[ContextEdit] | None = None


class Params(Struct, kw_only=True):
    """The parameters of a request, without its messages."""

    model: str | None = None
    betas: list[str] | None = None
    max_tokens: int | None = None
    thinking: Thinking | None = None
    context_management: ContextManagement | None = None
    output_config: OutputConfig | None = None
    temperature: float | None = None
    tool_choice: Raw = ABSENT


class CacheMark(Struct, kw_only=True):
    """The position of a cache breakpoint in the request; `path` leads to it."""

    path: Annotated[Raw, Lazy(list[str | int])] = ABSENT
    value: CacheControl | None = None


class Shape(Struct, kw_only=True):
    """The part of a request that repeats: system prompt and tools."""

    system: list[Block] | None = None
    tools: list[WireTool] | None = None
