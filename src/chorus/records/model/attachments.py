"""What the client told the model beside the conversation: the bodies of `attachment` lines, one struct per kind."""

from typing import Annotated

from msgspec import Raw, Struct

from chorus.records.model.base import ABSENT, Lazy
from chorus.records.model.prompt import Todo
from chorus.records.model.schema import ToolDefinition

NAMED_ATTACHMENTS = (
    "task_reminder",
    "hook_additional_context",
    "nested_memory",
    "edited_text_file",
    "command_permissions",
    "hook_success",
    "hook_system_message",
    "hook_non_blocking_error",
    "mcp_instructions_delta",
    "compact_file_reference",
)
"""Kinds known by name, not by their fields."""


class Body(Struct, tag_field="type", kw_only=True):
    """Base of all kinds; `type` names the kind."""


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
    """The whole system prompt and the tools, as they were sent."""

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


class PlanModeExit(Body, tag="plan_mode_exit"):
    planFilePath: str | None = None
    planExists: bool | None = None


class QueuedCommand(Body, tag="queued_command"):
    """Input typed while the client was busy; it may exist nowhere else in the file."""

    prompt: Raw = ABSENT
    commandMode: str | None = None
    source_uuid: str | None = None
    delivery_id: str | None = None
    timestamp: str | None = None


class BlockingError(Struct, kw_only=True):
    blockingError: str | None = None
    command: str | None = None


class HookBlockingError(Body, tag="hook_blocking_error"):
    hookName: str | None = None
    hookEvent: str | None = None
    toolUseID: str | None = None
    blockingError: BlockingError | None = None


class HookPermissionDecision(Body, tag="hook_permission_decision"):
    decision: str | None = None
    hookEvent: str | None = None
    toolUseID: str | None = None


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


class AttachedText(Struct, kw_only=True):
    filePath: str | None = None
    content: str | None = None
    numLines: int | None = None
    startLine: int | None = None
    totalLines: int | None = None


class AttachedContent(Struct, kw_only=True):
    type: str | None = None
    file: AttachedText | None = None


class SavedCopyFraming(Struct, kw_only=True):
    enveloped: bool | None = None


class File(Body, tag="file"):
    filename: str | None = None
    displayPath: str | None = None
    content: Annotated[Raw, Lazy(AttachedContent)] = ABSENT
    savedCopyFraming: SavedCopyFraming | None = None


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
    | HookBlockingError
    | HookPermissionDecision
    | MaxTurnsReached
    | BudgetUsd
    | StructuredOutput
    | UnknownCommandFallback
    | File
)
"""Every kind whose fields are known."""
