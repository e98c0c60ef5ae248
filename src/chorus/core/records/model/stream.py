"""Lines that occur only on standard output or standard input of a running client."""

from typing import Annotated, ClassVar

from msgspec import Raw, Struct

from chorus.core.records.model.base import ABSENT, TOOL_INPUT, AnyRecord, Envelope, Lazy
from chorus.core.records.model.blocks import AppliedEdits, Block, Message, Usage
from chorus.core.records.model.control import AgentOption, Answer, HookMatcher
from chorus.core.records.model.hooks import HookPayload
from chorus.core.records.model.permissions import PermissionUpdate

EVENT_TYPES = (
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    # part of the API, not seen in the client's output
    "ping",
    "error",
)


class Delta(Struct, kw_only=True):
    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    partial_json: str | None = None
    citation: Raw = ABSENT
    estimated_tokens: int | None = None
    stop_reason: str | None = None
    stop_sequence: str | None = None
    stop_details: Raw = ABSENT
    container: Raw = ABSENT


class Event(Struct, kw_only=True):
    """One event of the API stream."""

    type: str | None = None
    index: int | None = None
    message: Message | None = None
    content_block: Block | None = None
    delta: Delta | None = None
    usage: Usage | None = None
    context_management: Annotated[Raw, Lazy(AppliedEdits)] = ABSENT


class StreamEvent(Envelope, tag="stream_event"):
    """A partial message while it is streamed. The complete lines replace it."""

    is_row: ClassVar[bool] = True

    event: Event | None = None
    api_message_id: str | None = None
    ttft_ms: float | None = None
    thinking_display: str | None = None


class Request(Struct, kw_only=True):
    subtype: str | None = None
    # can_use_tool
    tool_name: str | None = None
    display_name: str | None = None
    input: Annotated[Raw, TOOL_INPUT, Lazy(HookPayload, when=("subtype", "hook_callback"))] = ABSENT
    description: str | None = None
    tool_use_id: str | None = None
    agent_id: str | None = None
    permission_suggestions: Annotated[Raw, Lazy(list[PermissionUpdate])] = ABSENT
    blocked_path: str | None = None
    decision_reason: str | None = None
    decision_reason_type: str | None = None
    requires_user_interaction: bool | None = None
    server_policy_ask_only: bool | None = None
    title: str | None = None
    # hook_callback, mcp_message
    callback_id: str | None = None
    server_name: str | None = None
    message: Raw = ABSENT
    # initialize
    hooks: Annotated[Raw, Lazy(dict[str, list[HookMatcher]])] = ABSENT
    agents: Annotated[Raw, Lazy(dict[str, AgentOption])] = ABSENT
    # what a host may set or request
    mode: str | None = None
    model: str | None = None
    max_thinking_tokens: int | None = None
    task_id: str | None = None
    question: str | None = None
    user_message_id: str | None = None


class ControlRequest(Envelope, tag="control_request"):
    request_id: str | None = None
    request: Request | None = None


class Response(Struct, kw_only=True):
    subtype: str | None = None
    request_id: str | None = None
    response: Annotated[Raw, Lazy(Answer)] = ABSENT
    error: str | None = None
    error_code: str | None = None
    pending_permission_requests: Raw = ABSENT
    pending_user_dialog_requests: Raw = ABSENT


class ControlResponse(Envelope, tag="control_response"):
    response: Response | None = None


class ControlCancelRequest(Envelope, tag="control_cancel_request"):
    request_id: str | None = None


class TranscriptMirror(Envelope, tag="transcript_mirror"):
    """Lines of a session file, mirrored on standard output."""

    filePath: str | None = None
    entries: list[Annotated[Raw, Lazy(AnyRecord)]] | None = None


class CommandLifecycle(Envelope, tag="command_lifecycle"):
    command_uuid: str | None = None
    state: str | None = None


class ConversationReset(Envelope, tag="conversation_reset"):
    """`/clear`: the following lines belong to another conversation."""

    is_row: ClassVar[bool] = True

    new_conversation_id: str | None = None
    trigger: str | None = None
    user_message_uuid: str | None = None


class KeepAlive(Envelope, tag="keep_alive"):
    pass


class RateLimitInfo(Struct, kw_only=True):
    """According to the client's SDK; not seen in data."""

    status: str | None = None
    resetsAt: float | None = None
    rateLimitType: str | None = None
    utilization: float | None = None
    overageStatus: str | None = None
    overageResetsAt: float | None = None
    overageDisabledReason: str | None = None


class RateLimitEvent(Envelope, tag="rate_limit_event"):
    is_row: ClassVar[bool] = True
    rate_limit_info: Annotated[Raw, Lazy(RateLimitInfo)] = ABSENT
