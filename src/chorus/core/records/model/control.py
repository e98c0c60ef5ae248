"""Bodies of control requests and responses: what host and client request from each other during a run."""

from typing import Annotated

from msgspec import Raw, Struct

from chorus.core.records.model.base import ABSENT, TOOL_INPUT
from chorus.core.records.model.blocks import Usage
from chorus.core.records.model.client import Command, McpServer, Plugin
from chorus.core.records.model.outcome import TokenCount
from chorus.core.records.model.permissions import PermissionUpdate

REQUEST_SUBTYPES = (
    # client to host
    "can_use_tool",
    "hook_callback",
    "mcp_message",
    # host to client
    "initialize",
    "interrupt",
    "set_permission_mode",
    "set_model",
    "set_max_thinking_tokens",
    "mcp_status",
    "get_context_usage",
    "get_settings",
    "get_session_cost",
    "rewind_files",
    "stop_task",
    "reload_plugins",
    "generate_session_title",
    "rename_session",
    "side_question",
    "end_session",
    # requests that some hosts send and the client refuses
    "get_server_info",
    "supported_commands",
    # only the name is known
    "mcp_*",
)
RESPONSE_SUBTYPES = ("success", "error")


class HookMatcher(Struct, kw_only=True):
    matcher: str | None = None
    hookCallbackIds: list[str] | None = None
    timeout: float | None = None


class AgentOption(Struct, kw_only=True):
    """A sub-agent that the host defines or the client has."""

    name: str | None = None
    description: str | None = None
    prompt: str | None = None
    tools: list[str] | None = None
    model: str | None = None


class ModelOption(Struct, kw_only=True):
    value: str | None = None
    resolvedModel: str | None = None
    displayName: str | None = None
    description: str | None = None
    supportsEffort: bool | None = None
    supportedEffortLevels: list[str] | None = None
    supportsAdaptiveThinking: bool | None = None
    supportsFastMode: bool | None = None
    supportsAutoMode: bool | None = None
    supportsThinkingOff: bool | None = None


class Account(Struct, kw_only=True):
    tokenSource: str | None = None
    apiKeySource: str | None = None
    apiProvider: str | None = None


class FeedbackMode(Struct, kw_only=True):
    kind: str | None = None


class AppliedSettings(Struct, kw_only=True):
    model: str | None = None
    effort: str | None = None
    advisor: str | None = None
    ultracode: bool | None = None
    ultracodeRequested: bool | None = None
    ultracodeAvailable: bool | None = None
    ultrathinkAvailable: bool | None = None
    outsideFileToolReadsBlocked: bool | None = None
    outsideFileToolWritesBlocked: bool | None = None
    outsideBlocksCountLaunchFoldersOnly: bool | None = None
    launchEnvLeftOwnFilesInPlace: bool | None = None


class GridSquare(Struct, kw_only=True):
    """A square of the grid that `/context` draws."""

    color: str | None = None
    isFilled: bool | None = None
    categoryName: str | None = None
    tokens: int | None = None
    percentage: float | None = None
    squareFullness: float | None = None


class IncludedCommands(Struct, kw_only=True):
    totalCommands: int | None = None
    includedCommands: int | None = None
    tokens: int | None = None


class IncludedSkills(Struct, kw_only=True):
    totalSkills: int | None = None
    includedSkills: int | None = None
    tokens: int | None = None
    skillFrontmatter: list[TokenCount] | None = None


class MessageBreakdown(Struct, kw_only=True):
    toolCallTokens: int | None = None
    toolResultTokens: int | None = None
    attachmentTokens: int | None = None
    assistantMessageTokens: int | None = None
    userMessageTokens: int | None = None
    redirectedContextTokens: int | None = None
    unattributedTokens: int | None = None
    toolCallsByType: list[TokenCount] | None = None
    attachmentsByType: list[TokenCount] | None = None


class HookOutput(Struct, kw_only=True):
    """The decision of a hook, if the host acts as the hook."""

    hookEventName: str | None = None
    permissionDecision: str | None = None
    permissionDecisionReason: str | None = None
    additionalContext: str | None = None


class Answer(Struct, kw_only=True):
    """The body of a successful response to any request. Only the request determines which fields to expect."""

    # can_use_tool, hook_callback
    behavior: str | None = None
    message: str | None = None
    interrupt: bool | None = None
    updatedInput: Annotated[Raw, TOOL_INPUT] = ABSENT
    updatedPermissions: list[PermissionUpdate] | None = None
    hookSpecificOutput: HookOutput | None = None
    # initialize
    commands: list[Command] | None = None
    agents: list[AgentOption] | None = None
    models: list[ModelOption] | None = None
    account: Account | None = None
    pid: int | None = None
    claude_code_version: str | None = None
    current_permission_mode: str | None = None
    session_state: str | None = None
    capabilities: list[str] | None = None
    output_style: str | None = None
    available_output_styles: list[str] | None = None
    user_output_styles_dir: str | None = None
    hook_on_failure_supported: bool | None = None
    other_hook_ask_outranks_host: bool | None = None
    hooks_applied: bool | None = None
    feedback_mode: FeedbackMode | None = None
    analytics_disabled: bool | None = None
    remote_control_auto_enable: bool | None = None
    remote_control_auto_connect_default: bool | None = None
    remote_control_available: bool | None = None
    remote_control_auto_on_by_default: bool | None = None
    ide_rc_auto_enable_gate: bool | None = None
    fast_mode_state: str | None = None
    fast_mode_disabled_reason: str | None = None
    # settings, titles, plugins, tasks
    mode: str | None = None
    model: str | None = None
    mcpServers: list[McpServer] | None = None
    effective: Raw = ABSENT
    sources: Raw = ABSENT
    applied: AppliedSettings | None = None
    title: str | None = None
    text: str | None = None
    plugins: list[Plugin] | None = None
    error_count: int | None = None
    still_queued: Raw = ABSENT
    canRewind: bool | None = None
    skippedLinks: int | None = None
    # get_context_usage
    categories: list[TokenCount] | None = None
    totalTokens: int | None = None
    maxTokens: int | None = None
    rawMaxTokens: int | None = None
    percentage: float | None = None
    autocompactSource: str | None = None
    autoCompactThreshold: int | None = None
    isAutoCompactEnabled: bool | None = None
    gridRows: list[list[GridSquare]] | None = None
    memoryFiles: list[TokenCount] | None = None
    mcpTools: list[TokenCount] | None = None
    mcpInstructions: list[TokenCount] | None = None
    slashCommands: IncludedCommands | None = None
    skills: IncludedSkills | None = None
    messageBreakdown: MessageBreakdown | None = None
    apiUsage: Usage | None = None
