"""The lines that make up a conversation: output of the model, input to the model, ends of turns."""

from typing import Annotated, ClassVar

from msgspec import Raw, Struct

from chorus.core.records.model.base import ABSENT, TOOL_OUTPUT, Envelope, Lazy
from chorus.core.records.model.blocks import Message, Usage
from chorus.core.records.model.outcome import CommandRun, ContextUsage, ModelUsage, PermissionDenial, SubagentStats
from chorus.core.records.model.prompt import (
    Origin,
    PermissionDecision,
    ThinkingMetadata,
    Todo,
    ToolResultMeta,
    TurnPosition,
)

RESULT_SUBTYPES = (
    "success",
    "error",
    "error_during_execution",
    "error_max_turns",
    "error_max_budget_usd",
    "error_max_structured_output_retries",
)


class ToolUseMeta(Struct, kw_only=True):
    """The display name of an MCP tool of this line."""

    id: str | None = None
    display_name: str | None = None
    server_display_name: str | None = None
    tool_name: str | None = None


class Assistant(Envelope, tag="assistant"):
    """A line of a model message: usually one content block. Every line repeats the id and usage of the message."""

    is_row: ClassVar[bool] = True

    message: Message | None = None
    requestId: str | None = None
    request_id: str | None = None
    model: str | None = None
    costUSD: float | None = None
    durationMs: float | None = None
    error: str | None = None
    errorDetails: Raw = ABSENT
    isApiErrorMessage: bool | None = None
    is_api_error_message: bool | None = None
    apiErrorStatus: int | str | None = None
    api_error_status: int | str | None = None
    apiErrorType: str | None = None
    api_error_type: str | None = None
    apiErrorIsTransient: bool | None = None
    failedResponseHadNoToolCall: bool | None = None
    resendCannotCure: Raw = ABSENT
    healsDistinctCarrier: Raw = ABSENT
    aborted: bool | None = None
    isAbortedMidStream: bool | None = None
    subagent_type: str | None = None
    task_description: str | None = None
    toolInputStreamMs: float | None = None
    apiBlockIndex: int | None = None
    requestRef: str | None = None
    """The `id` of the `api-request` that led to this message."""
    requestedModel: str | None = None
    promptCacheRequested: str | None = None
    effort: str | None = None
    perTurnEffort: str | None = None
    madeBy: str | None = None
    thinkingDurationMs: float | None = None
    thinking_duration_ms: float | None = None
    thinkingDisplay: str | None = None
    thinking_display: str | None = None
    serverClassifierRequest: str | None = None
    attributionAgent: str | None = None
    attributionSkill: str | None = None
    attributionPlugin: str | None = None
    attributionMcpServer: str | None = None
    attributionMcpTool: str | None = None
    tool_use_meta: Annotated[Raw, Lazy(list[ToolUseMeta])] = ABSENT
    local_command_run: Annotated[Raw, Lazy(CommandRun)] = ABSENT
    local_command_source: str | None = None
    context_usage: Annotated[Raw, Lazy(ContextUsage)] = ABSENT
    user_message_uuid: str | None = None
    user_message_uuids: list[str] | None = None


class User(Envelope, tag="user"):
    """A line sent to the model: a person's prompt, a tool result, or a note that the client generated."""

    is_row: ClassVar[bool] = True

    message: Message | None = None
    toolUseResult: Annotated[Raw, TOOL_OUTPUT] = ABSENT
    tool_use_result: Annotated[Raw, TOOL_OUTPUT] = ABSENT
    sourceToolAssistantUUID: str | None = None
    sourceToolUseID: str | None = None
    tool_result_meta: Annotated[Raw, Lazy(list[ToolResultMeta])] = ABSENT
    permissionDecision: Annotated[Raw, Lazy(PermissionDecision)] = ABSENT
    toolDenialKind: str | None = None
    sandboxed: bool | None = None
    toolEndsTurn: bool | None = None
    mcpCallNotReadOnly: Raw = ABSENT
    permissionMode: str | None = None
    promptId: str | None = None
    promptSource: str | None = None
    turnOrigin: str | None = None
    turnPosition: Annotated[Raw, Lazy(TurnPosition)] = ABSENT
    turnCompanion: bool | None = None
    turnAttributionKey: str | None = None
    origin: Origin | str | None = None
    priority: str | None = None
    """On standard input: `next` or `later`."""
    holdsPersonsWords: bool | None = None
    queueSkipAttachments: bool | None = None
    refusedMessageId: str | None = None
    refused_message_id: str | None = None
    isSynthetic: bool | None = None
    isReplay: bool | None = None
    isCompactSummary: bool | None = None
    repeatsCompactSummary: bool | None = None
    isVisibleInTranscriptOnly: bool | None = None
    imagePasteIds: Annotated[Raw, Lazy(list[int])] = ABSENT
    planContent: str | None = None
    classifierMetaLines: Raw = ABSENT
    todos: Annotated[Raw, Lazy(list[Todo])] = ABSENT
    thinkingMetadata: Annotated[Raw, Lazy(ThinkingMetadata)] = ABSENT
    subagent_type: str | None = None
    task_description: str | None = None


class FlatUsage(Struct, kw_only=True):
    inputTokens: int | None = None
    outputTokens: int | None = None


class FlatOutcome(Struct, kw_only=True):
    """The object form of a flat `result`."""

    stopReason: str | None = None
    usage: FlatUsage | None = None


class Result(Envelope, tag="result"):
    """The end of a turn, not of the run. `subtype` alone does not indicate success: see `is_error`."""

    is_row: ClassVar[bool] = True

    is_error: bool | None = None
    result: str | FlatOutcome | None = None
    errors: list[str] | None = None
    num_turns: int | None = None
    duration_ms: float | None = None
    duration_api_ms: float | None = None
    total_cost_usd: float | None = None
    usage: Usage | None = None
    modelUsage: Annotated[Raw, Lazy(dict[str, ModelUsage])] = ABSENT
    model_usage_since_last_result: Annotated[Raw, Lazy(dict[str, ModelUsage])] = ABSENT
    permission_denials: Annotated[Raw, Lazy(list[PermissionDenial])] = ABSENT
    stop_reason: str | None = None
    terminal_reason: str | None = None
    result_index: int | None = None
    queued_turn_count: int | None = None
    subagent_stats: Annotated[Raw, Lazy(SubagentStats)] = ABSENT
    safety_stops: int | None = None
    api_error_status: int | str | None = None
    api_error_type: str | None = None
    origin: Origin | str | None = None
    local_command: str | None = None
    structured_output: Raw = ABSENT
    fast_mode_state: str | None = None
    fast_mode_disabled_reason: str | None = None
    ttft_ms: float | None = None
    ttft_stream_ms: float | None = None
    time_to_request_ms: float | None = None
    first_content_frame_ms: float | None = None
    request_sent_wall_ms: float | None = None
    first_request_input_tokens: int | None = None
    first_request_cache_read_input_tokens: int | None = None
    user_message_uuid: str | None = None
    user_message_uuids: list[str] | None = None
