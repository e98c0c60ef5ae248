"""The bodies of `attachment` lines, one struct per kind: what the client sends to the model in addition to messages."""

from msgspec import Raw, Struct

from chorus.core.records.model.attached_files import FILE_BODIES
from chorus.core.records.model.attached_hooks import HOOK_BODIES
from chorus.core.records.model.attachment import Body
from chorus.core.records.model.base import ABSENT
from chorus.core.records.model.prompt import Todo
from chorus.core.records.model.schema import ToolDefinition

NAMED_ATTACHMENTS: tuple[str, ...] = (
    "agent_mention",
    "compaction_reminder",
    "context_efficiency",
    "current_session_memory",
    "date_change",
    "elapsed_time_reminder",
    "mcp_dropped_tools_delta",
    "output_style",
    "output_token_usage",
    "team_context",
    "teammate_mailbox",
    "token_usage",
    "ultra_effort_enter",
    "verify_plan_reminder",
)
"""Kinds that clients write and of which only the name is known."""


class EnvironmentSnapshot(Struct, kw_only=True):
    workingDirectory: str | None = None
    isWorktree: bool | None = None
    isGitRepo: bool | None = None
    additionalWorkingDirectories: list[str] | None = None
    platform: str | None = None
    shell: str | None = None
    osVersion: str | None = None


class EnvironmentChange(Struct, kw_only=True):
    field: str | None = None
    added: list[str] | None = None
    removed: list[str] | None = None


class Environment(Body, tag="environment"):
    snapshot: EnvironmentSnapshot | None = None
    changes: list[EnvironmentChange] | None = None


class ModelIdentity(Struct, kw_only=True):
    modelId: str | None = None
    marketingName: str | None = None
    knowledgeCutoff: str | None = None


class Model(Body, tag="model"):
    identity: ModelIdentity | None = None
    text: str | None = None


class Date(Body, tag="date"):
    date: str | None = None


class SessionContextParts(Struct, kw_only=True):
    gitStatus: str | None = None


class SessionContext(Body, tag="session_context"):
    context: SessionContextParts | None = None


class RemoteSessionChange(Body, tag="remote_session_change"):
    url: str | None = None
    commit: str | None = None
    pr: str | None = None
    sendUserFileHint: bool | None = None
    managedCommit: bool | None = None
    managedPr: bool | None = None


class DeferredToolsDelta(Body, tag="deferred_tools_delta"):
    addedNames: list[str] | None = None
    addedLines: list[str] | None = None
    removedNames: list[str] | None = None
    wireHiddenNames: list[str] | None = None
    readdedNames: list[str] | None = None
    pendingMcpServers: list[str] | None = None
    needsAuthMcpServers: list[str] | None = None
    failedMcpServers: list[str] | None = None


class AgentListingDelta(Body, tag="agent_listing_delta"):
    addedTypes: list[str] | None = None
    addedLines: list[str] | None = None
    builtInTypes: list[str] | None = None
    builtInPluginTypes: list[str] | None = None
    removedTypes: list[str] | None = None
    isInitial: bool | None = None
    showConcurrencyNote: bool | None = None


class SkillListing(Body, tag="skill_listing"):
    content: str | None = None
    skillCount: int | None = None
    isInitial: bool | None = None
    names: list[str] | None = None
    digests: list[str] | None = None


class PromptSnapshot(Body, tag="prompt_snapshot"):
    """The complete system prompt and the tools, as sent."""

    systemPrompt: list[str] | None = None
    tools: list[ToolDefinition] | None = None
    cliPrefix: str | None = None
    reminderFold: bool | None = None
    echoWireToolInputs: bool | None = None
    contextRendering: str | None = None
    systemTurns: bool | None = None
    toolChangeHeader: bool | None = None
    inlineTools: bool | None = None
    keptReminders: bool | None = None


class SilentTurnReminder(Body, tag="silent_turn_reminder"):
    text: str | None = None


class TotalTokensReminder(Body, tag="total_tokens_reminder"):
    text: str | None = None


class TodoReminder(Body, tag="todo_reminder"):
    content: str | list[Todo] | None = None
    itemCount: int | None = None


class CriticalSystemReminder(Body, tag="critical_system_reminder"):
    content: str | None = None


class TaskItem(Struct, kw_only=True):
    id: str | None = None
    subject: str | None = None
    description: str | None = None
    activeForm: str | None = None
    status: str | None = None
    owner: str | None = None
    blocks: list[str] | None = None
    blockedBy: list[str] | None = None


class TaskReminder(Body, tag="task_reminder"):
    content: list[TaskItem] | None = None
    itemCount: int | None = None


class ToolSearchUsageReminder(Body, tag="tool_search_usage_reminder"):
    undiscoveredCount: int | None = None
    undiscoveredToolNames: list[str] | None = None


class TaskStatus(Body, tag="task_status"):
    taskId: str | None = None
    taskType: str | None = None
    status: str | None = None
    description: str | None = None
    deltaSummary: str | None = None
    outputFilePath: str | None = None
    canContinueAgent: bool | None = None
    shell: Raw = ABSENT


class GoalStatus(Body, tag="goal_status"):
    condition: str | None = None
    met: bool | None = None
    failed: bool | None = None
    reason: str | None = None
    iterations: int | None = None
    durationMs: float | None = None
    tokens: int | None = None
    sentinel: bool | None = None


class CommandPermissions(Body, tag="command_permissions"):
    """The tools that a slash command may use without asking."""

    allowedTools: list[str] | None = None
    model: str | None = None


class McpInstructionsDelta(Body, tag="mcp_instructions_delta"):
    addedNames: list[str] | None = None
    addedBlocks: list[str] | None = None
    removedNames: list[str] | None = None


class Position(Struct, kw_only=True):
    line: int | None = None
    character: int | None = None


class Range(Struct, kw_only=True):
    start: Position | None = None
    end: Position | None = None


class Diagnostic(Struct, kw_only=True):
    message: str | None = None
    severity: str | None = None
    range: Range | None = None
    source: str | None = None
    code: Raw = ABSENT


class DiagnosedFile(Struct, kw_only=True):
    uri: str | None = None
    diagnostics: list[Diagnostic] | None = None


class Diagnostics(Body, tag="diagnostics"):
    files: list[DiagnosedFile] | None = None
    isNew: bool | None = None


class DynamicSkill(Body, tag="dynamic_skill"):
    skillDir: str | None = None
    skillNames: list[str] | None = None
    displayPath: str | None = None


class InvokedSkill(Struct, kw_only=True):
    name: str | None = None
    path: str | None = None
    content: str | None = None


class InvokedSkills(Body, tag="invoked_skills"):
    skills: list[InvokedSkill] | None = None
    mcpSkillEntries: Raw = ABSENT


class PlanModeReentry(Body, tag="plan_mode_reentry"):
    planFilePath: str | None = None


class ClaudeAppNotice(Body, tag="claude_app_notice"):
    app: str | None = None
    lines: list[str] | None = None


class TeammateShutdownBatch(Body, tag="teammate_shutdown_batch"):
    count: int | None = None


class AutoMode(Body, tag="auto_mode"):
    autoModeConsentFlow: bool | None = None
    finishExposedWork: bool | None = None
    bashFirst: bool | None = None
    bashFirstSteer: str | None = None
    steerOnly: bool | None = None
    bypass: bool | None = None


class PlanMode(Body, tag="plan_mode"):
    reminderType: str | None = None
    isSubAgent: bool | None = None
    planFilePath: str | None = None
    planExists: bool | None = None
    customInstructions: str | None = None


class PlanModeExit(Body, tag="plan_mode_exit"):
    planFilePath: str | None = None
    planExists: bool | None = None


class QueuedCommand(Body, tag="queued_command"):
    """Input that was typed while the client was busy. It may not appear anywhere else in the file."""

    prompt: Raw = ABSENT
    commandMode: str | None = None
    source_uuid: str | None = None
    delivery_id: str | None = None
    timestamp: str | None = None


class MaxTurnsReached(Body, tag="max_turns_reached"):
    maxTurns: int | None = None
    turnCount: int | None = None
    exitCommitted: bool | None = None


class BudgetUsd(Body, tag="budget_usd"):
    used: float | None = None
    total: float | None = None
    remaining: float | None = None


class StructuredOutput(Body, tag="structured_output"):
    data: Raw = ABSENT
    toolUseID: str | None = None


class UnknownCommandFallback(Body, tag="unknown_command_fallback"):
    commandName: str | None = None
    availableCommandNames: list[str] | None = None
    availableCommandCount: int | None = None


BODIES = (
    Environment
    | Model
    | Date
    | SessionContext
    | RemoteSessionChange
    | DeferredToolsDelta
    | AgentListingDelta
    | SkillListing
    | PromptSnapshot
    | SilentTurnReminder
    | TotalTokensReminder
    | TodoReminder
    | CriticalSystemReminder
    | AutoMode
    | PlanMode
    | PlanModeExit
    | QueuedCommand
    | MaxTurnsReached
    | BudgetUsd
    | StructuredOutput
    | UnknownCommandFallback
    | TaskReminder
    | ToolSearchUsageReminder
    | TaskStatus
    | GoalStatus
    | CommandPermissions
    | McpInstructionsDelta
    | Diagnostics
    | DynamicSkill
    | InvokedSkills
    | PlanModeReentry
    | ClaudeAppNotice
    | TeammateShutdownBatch
    | FILE_BODIES
    | HOOK_BODIES
)
"""Every kind whose fields are known."""
