"""Progress of tools, hooks and sub-agents, as written into session files by clients 2.1.12 to 2.1.69."""

from typing import Annotated

from msgspec import Raw, Struct

from chorus.core.records.model.attachments import BODIES
from chorus.core.records.model.base import ABSENT, TOOL_OUTPUT, Envelope, Lazy
from chorus.core.records.model.blocks import Message

PROGRESS_KINDS = (
    "bash_progress",
    "hook_progress",
    "agent_progress",
    "mcp_progress",
    "waiting_for_task",
    # only the name is known
    "query_update",
    "search_results_received",
)


class EmbeddedLine(Struct, kw_only=True, gc=False):
    """A line of a sub-agent inside a progress record."""

    type: str | None = None
    message: Message | None = None
    uuid: str | None = None
    timestamp: str | None = None
    requestId: str | None = None
    toolUseResult: Annotated[Raw, TOOL_OUTPUT] = ABSENT
    attachment: Annotated[Raw, Lazy(BODIES)] = ABSENT


class ProgressData(Struct, kw_only=True, gc=False):
    type: str | None = None
    agentId: str | None = None
    prompt: str | None = None
    message: EmbeddedLine | str | None = None
    normalizedMessages: Annotated[Raw, Lazy(list[EmbeddedLine])] = ABSENT
    """All lines of the sub-agent so far. Every record repeats them in full."""
    # bash_progress: long, and repeated on every record; therefore not decoded
    output: Annotated[Raw, Lazy(str)] = ABSENT
    fullOutput: Annotated[Raw, Lazy(str)] = ABSENT
    elapsedTimeSeconds: float | None = None
    totalLines: int | None = None
    totalBytes: int | None = None
    timeoutMs: float | None = None
    taskId: str | None = None
    # hook_progress
    hookEvent: str | None = None
    hookName: str | None = None
    command: str | None = None
    # mcp_progress
    status: str | None = None
    serverName: str | None = None
    toolName: str | None = None
    elapsedTimeMs: float | None = None
    progress: float | None = None
    total: float | None = None
    progressMessage: str | None = None
    # waiting_for_task
    taskDescription: str | None = None
    taskType: str | None = None


class Progress(Envelope, tag="progress"):
    """Progress of a running tool, hook or sub-agent (clients 2.1.12 to 2.1.69)."""

    data: ProgressData | None = None
    toolUseID: str | None = None
    parentToolUseID: str | None = None
