"""Flat events: a dialect of older wrappers, with one event per text fragment, tool call or tool result."""

from typing import Annotated, ClassVar

from msgspec import Raw, Struct

from chorus.core.records.model.base import ABSENT, TOOL_INPUT, TOOL_OUTPUT, Envelope, Lazy
from chorus.core.records.model.blocks import Block


class SessionStart(Envelope, tag="session_start"):
    """Starts a session. Its id is the argument of `--resume`."""


class Text(Envelope, tag="text"):
    """A fragment of the answer. Several fragments form one answer."""

    is_row: ClassVar[bool] = True

    text: str | None = None


class ToolUse(Envelope, tag="tool_use"):
    is_row: ClassVar[bool] = True
    id: str | None = None
    toolName: str | None = None
    tool_name: str | None = None
    name: str | None = None
    toolInput: Annotated[Raw, TOOL_INPUT] = ABSENT
    tool_input: Annotated[Raw, TOOL_INPUT] = ABSENT
    input: Annotated[Raw, TOOL_INPUT] = ABSENT


class ToolResult(Envelope, tag="tool_result"):
    is_row: ClassVar[bool] = True
    toolUseId: str | None = None
    tool_use_id: str | None = None
    isError: bool | None = None
    is_error: bool | None = None
    content: Annotated[Raw, TOOL_OUTPUT, Lazy(str | list[Block])] = ABSENT


class PermissionRequest(Envelope, tag="permission_request"):
    """A prompt that a wrapper saw. The record alone is only displayed: text never has authority."""

    is_row: ClassVar[bool] = True

    prompt: str | None = None
    metadata: Raw = ABSENT


class ErrorDetail(Struct, kw_only=True):
    type: str | None = None
    message: str | None = None


class Error(Envelope, tag="error"):
    is_row: ClassVar[bool] = True
    error: ErrorDetail | str | None = None
