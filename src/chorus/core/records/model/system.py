"""`system` lines of both dialects: session start, state, tasks, hooks, compaction, errors. `subtype` is an open set."""

from typing import Annotated, ClassVar

from msgspec import Raw, Struct

from chorus.core.records.model.base import ABSENT, Envelope, Lazy
from chorus.core.records.model.client import Command, McpServer, MemoryPaths, Plugin
from chorus.core.records.model.compaction import CompactMetadata, MicrocompactMetadata
from chorus.core.records.model.outcome import CommandRun, ContextUsage

SYSTEM_SUBTYPES = (
    # stdout
    "init",
    "status",
    "thinking_tokens",
    "api_retry",
    "task_started",
    "task_progress",
    "task_updated",
    "task_notification",
    "background_tasks_changed",
    "permission_denied",
    "hook_started",
    "hook_progress",
    "hook_response",
    "session_state_changed",
    "session_title_changed",
    "commands_changed",
    "control_request_progress",
    # both
    "compact_boundary",
    "informational",
    # session files
    "microcompact_boundary",
    "api_error",
    "local_command",
    "stop_hook_summary",
    "turn_duration",
    "model_refusal_fallback",
    # only the name is known
    "notification",
    "model_fallback",
    "memory_saved",
    "memory_recall",
    "files_*",
    "ui_*",
    "mcp_*",
    "session_metadata",
    "turn_starting",
    "post_turn_summary",
    "away_summary",
    "plugin_install",
    "elicitation*",
    "worker_shutting_down",
)


class TaskUsage(Struct, kw_only=True):
    total_tokens: int | None = None
    tool_uses: int | None = None
    duration_ms: float | None = None


class TaskPatch(Struct, kw_only=True):
    status: str | None = None
    end_time: float | None = None


class Task(Struct, kw_only=True):
    """A background task in the complete list."""

    task_id: str | None = None
    run_id: str | None = None
    task_type: str | None = None
    description: str | None = None
    subagent_type: str | None = None


class HookInfo(Struct, kw_only=True):
    command: str | None = None
    durationMs: float | None = None


class ErrorBody(Struct, kw_only=True):
    """An error in the API's format, which may contain itself once."""

    type: str | None = None
    message: str | None = None
    request_id: str | None = None
    error: "ErrorBody | None" = None


class ApiError(Struct, kw_only=True):
    message: str | None = None
    formatted: str | None = None
    status: int | None = None
    headers: Annotated[Raw, Lazy(dict[str, str])] = ABSENT
    requestID: str | None = None
    error: ErrorBody | None = None
    type: str | None = None
    cause: Raw = ABSENT


INTERNAL_SUBTYPES = frozenset(
    {
        "init",
        "status",
        "thinking_tokens",
        "task_started",
        "task_progress",
        "task_updated",
        "task_notification",
        "background_tasks_changed",
        "session_state_changed",
        "session_title_changed",
        "commands_changed",
        "control_request_progress",
        "hook_started",
        "hook_progress",
        "hook_response",
        "stop_hook_summary",
    }
)
"""Subtypes of `system` records that are bookkeeping of the client; all others are shown."""


class System(Envelope, tag="system"):
    is_row: ClassVar[bool] = True
    content: str | None = None
    level: str | None = None
    tag: str | None = None
    # init
    model: str | None = None
    tools: list[str] | None = None
    mcp_servers: list[McpServer | str] | None = None
    permissionMode: str | None = None
    slash_commands: list[str] | None = None
    terminal_slash_commands: list[str] | None = None
    apiKeySource: str | None = None
    claude_code_version: str | None = None
    output_style: str | None = None
    agents: list[str] | None = None
    skills: list[str] | None = None
    plugins: Annotated[Raw, Lazy(list[Plugin])] = ABSENT
    capabilities: list[str] | None = None
    analytics_disabled: bool | None = None
    product_feedback_disabled: bool | None = None
    memory_paths: Annotated[Raw, Lazy(MemoryPaths)] = ABSENT
    original_cwd: str | None = None
    additional_directories: list[str] | None = None
    messaging_socket_path: str | None = None
    fast_mode_state: str | None = None
    fast_mode_disabled_reason: str | None = None
    per_turn_effort_active: bool | None = None
    ultrathink_available: bool | None = None
    ultrathink_typed_raises: bool | None = None
    view_mode: str | None = None
    user_message_uuids: list[str] | None = None
    # compact_boundary, microcompact_boundary
    compactMetadata: CompactMetadata | None = None
    compact_metadata: CompactMetadata | None = None
    microcompactMetadata: Annotated[Raw, Lazy(MicrocompactMetadata)] = ABSENT
    logical_parent_uuid: str | None = None
    # status, session_state_changed, session_title_changed, commands_changed, control_request_progress
    status: str | None = None
    compact_result: str | None = None
    state: str | None = None
    sdk_host_only: bool | None = None
    title: str | None = None
    commands: Annotated[Raw, Lazy(list[Command])] = ABSENT
    request_id: str | None = None
    # thinking_tokens
    estimated_tokens: int | None = None
    estimated_tokens_delta: int | None = None
    # task_*, background_tasks_changed
    task_id: str | None = None
    run_id: str | None = None
    tool_use_id: str | None = None
    description: str | None = None
    task_type: str | None = None
    is_backgrounded: bool | None = None
    subagent_type: str | None = None
    spawn_depth: int | None = None
    parent_task_id: str | None = None
    prompt: str | None = None
    last_tool_name: str | None = None
    summary: str | None = None
    output_file: str | None = None
    usage: Annotated[Raw, Lazy(TaskUsage)] = ABSENT
    patch: Annotated[Raw, Lazy(TaskPatch)] = ABSENT
    tasks: Annotated[Raw, Lazy(list[Task])] = ABSENT
    # turn_duration
    durationMs: float | None = None
    messageCount: int | None = None
    # local_command
    commandRun: Annotated[Raw, Lazy(CommandRun)] = ABSENT
    contextUsage: Annotated[Raw, Lazy(ContextUsage)] = ABSENT
    # stop_hook_summary
    hookCount: int | None = None
    hookInfos: Annotated[Raw, Lazy(list[HookInfo])] = ABSENT
    hookErrors: Annotated[Raw, Lazy(list[str])] = ABSENT
    hookAdditionalContext: Annotated[Raw, Lazy(list[str])] = ABSENT
    preventedContinuation: bool | None = None
    stopReason: str | None = None
    hasOutput: bool | None = None
    toolUseID: str | None = None
    # permission_denied, hook_started, hook_response
    tool_name: str | None = None
    message: str | None = None
    decision_reason: str | None = None
    decision_reason_type: str | None = None
    decision_reason_code: str | None = None
    hook_id: str | None = None
    hook_event: str | None = None
    hook_name: str | None = None
    output: str | None = None
    stdout: str | None = None
    stderr: str | None = None
    exit_code: int | None = None
    outcome: str | None = None
    # api_error, api_retry
    error: Annotated[Raw, Lazy(str | ApiError)] = ABSENT
    error_status: int | str | None = None
    attempt: int | None = None
    max_retries: int | None = None
    retry_delay_ms: float | None = None
    retryInMs: float | None = None
    retryAttempt: int | None = None
    maxRetries: int | None = None
    source: str | None = None
    cause: Raw = ABSENT
    # model_refusal_fallback
    direction: str | None = None
    trigger: str | None = None
    originalModel: str | None = None
    fallbackModel: str | None = None
    requestId: str | None = None
    apiRefusalCategory: str | None = None
    apiRefusalExplanation: str | None = None
    refusedUserMessageUuid: str | None = None
