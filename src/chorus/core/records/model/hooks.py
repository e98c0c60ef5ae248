"""Lines without a `type`: the input of hooks, and the prompt history."""

from typing import Annotated

from msgspec import Raw, Struct

from chorus.core.records.model.base import ABSENT, TOOL_INPUT, TOOL_OUTPUT, Lazy
from chorus.core.records.model.permissions import PermissionUpdate

HOOK_EVENTS = (
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "MessageDisplay",
    "PreCompact",
    "PostCompact",
    # only the name is known
    "Notification",
    "PermissionDenied",
    "Setup",
    "Task*",
    "ConfigChange",
    "InstructionsLoaded",
)


class Effort(Struct, kw_only=True):
    level: str | None = None


class ToolCall(Struct, kw_only=True):
    """One call of a batch."""

    tool_name: str | None = None
    tool_use_id: str | None = None
    tool_input: Annotated[Raw, TOOL_INPUT] = ABSENT
    tool_response: Annotated[Raw, TOOL_OUTPUT] = ABSENT


class HookPayload(Struct, kw_only=True):
    """The standard input of a hook, for all events. In sub-agents too, `transcript_path` names the main file."""

    hook_event_name: str | None = None
    session_id: str | None = None
    transcript_path: str | None = None
    cwd: str | None = None
    prompt_id: str | None = None
    permission_mode: str | None = None
    effort: Effort | None = None
    agent_id: str | None = None
    agent_type: str | None = None
    # SessionStart, SessionEnd, UserPromptSubmit
    source: str | None = None
    model: str | None = None
    reason: str | None = None
    prompt: str | None = None
    # tools
    tool_name: str | None = None
    tool_use_id: str | None = None
    tool_input: Annotated[Raw, TOOL_INPUT] = ABSENT
    tool_response: Annotated[Raw, TOOL_OUTPUT] = ABSENT
    tool_calls: Annotated[Raw, Lazy(list[ToolCall])] = ABSENT
    permission_suggestions: Annotated[Raw, Lazy(list[PermissionUpdate])] = ABSENT
    duration_ms: float | None = None
    error: str | None = None
    is_interrupt: bool | None = None
    # SubagentStop, Stop
    agent_transcript_path: str | None = None
    last_assistant_message: str | None = None
    stop_hook_active: bool | None = None
    background_tasks: Raw = ABSENT
    session_crons: Raw = ABSENT
    # MessageDisplay
    turn_id: str | None = None
    message_id: str | None = None
    index: int | None = None
    final: bool | None = None
    delta: str | None = None
    # PreCompact, PostCompact
    trigger: str | None = None
    custom_instructions: str | None = None
    compact_summary: str | None = None


class PromptHistory(Struct, kw_only=True):
    """A line of `history.jsonl`: what a person typed into the terminal."""

    display: str | None = None
    pastedContents: Raw = ABSENT
    timestamp: int | None = None
    """Milliseconds since 1970, unlike in all other records."""
    project: str | None = None
    sessionId: str | None = None


UNTYPED: dict[str, tuple[str, type[Struct]]] = {
    "hook": ("hook_event_name", HookPayload),
    "history": ("pastedContents", PromptHistory),
}
"""Records without a `type`: their name, the key that only they have, and their struct."""
