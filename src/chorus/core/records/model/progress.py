"""What went on while a tool, hook or sub-agent ran, as clients 2.1.12 to 2.1.69 wrote it into the session file."""

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
    # known by name only
    "query_update",
    "search_results_received",
)


class EmbeddedLine(Struct, kw_only=True, gc=False):
    """A sub-agent's line inside a progress record."""

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
    """All lines of the sub-agent so far, repeated in full on each record."""
    # bash_progress: long and repeated on each record, hence not decoded
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
    # waiting_for_task
    taskDescription: str | None = None
    taskType: str | None = None


class Progress(Envelope, tag="progress"):
    """What a tool, hook or sub-agent did meanwhile (clients 2.1.12 to 2.1.69)."""

    data: ProgressData | None = None
    toolUseID: str | None = None
    parentToolUseID: str | None = None
