"""Lines that occur only in session files, in addition to `user`, `assistant` and `system`."""

from typing import Annotated, ClassVar

from msgspec import Raw, Struct

from chorus.core.records.model.attachments import BODIES
from chorus.core.records.model.base import ABSENT, Envelope, Lazy
from chorus.core.records.model.blocks import Block, Message
from chorus.core.records.model.file_history import FileHistoryDelta as FileHistoryDelta
from chorus.core.records.model.file_history import FileHistorySnapshot as FileHistorySnapshot
from chorus.core.records.model.outcome import ModelUsage
from chorus.core.records.model.progress import EmbeddedLine as EmbeddedLine
from chorus.core.records.model.progress import Progress as Progress
from chorus.core.records.model.progress import ProgressData as ProgressData
from chorus.core.records.model.requests import CacheMark, Params, Shape

QUEUE_OPERATIONS = ("enqueue", "dequeue", "remove", "popAll")
NAMED_TYPES = (
    "agent-color",
    "agent-setting",
    "artifact-autoreact-ledger",
    "artifact-comment-monitor",
    "attribution-snapshot",
    "bridge-session",
    "content-replacement",
    "continued-in",
    "data-flow-*",
    "derived-from",
    "dev-mods",
    "ended-by-model",
    "fork-context-ref",
    "history-suppression",
    "isolation-latch",
    "memory-mode",
    "observer-ref",
    "relocated",
    "resume-head-vouch",
    "session-owner",
    "tag",
    "worktree-state",
)
"""Types that the client knows and no available file contains. They are not drift; their fields are unknown."""


class Summary(Envelope, tag="summary"):
    """A title written by old clients. `leafUuid` may refer to a line of another file."""

    summary: str | None = None
    leafUuid: str | None = None


class Snapshot(Envelope, tag="snapshot"):
    """A message checkpoint, according to the oldest descriptions."""

    messageId: str | None = None


class QueueOperation(Envelope, tag="queue-operation"):
    operation: str | None = None
    content: str | list[Block] | None = None
    reason: str | None = None
    commandUuid: str | None = None
    deliveryId: str | None = None


class Rendered(Struct, kw_only=True):
    content: Annotated[Raw, Lazy(str | list[Block])] = ABSENT


class Attachment(Envelope, tag="attachment"):
    """What the client sends to the model in addition to messages."""

    attachment: Annotated[Raw, Lazy(BODIES)] = ABSENT
    rendered: Annotated[Raw, Lazy(list[Rendered])] = ABSENT
    """The text as sent to the model."""
    renderedRole: str | None = None
    renderedBesideToolResult: bool | None = None


class Mode(Envelope, tag="mode"):
    mode: str | None = None


class PermissionMode(Envelope, tag="permission-mode"):
    permissionMode: str | None = None


class CustomTitle(Envelope, tag="custom-title"):
    customTitle: str | None = None


class AiTitle(Envelope, tag="ai-title"):
    aiTitle: str | None = None


class AgentName(Envelope, tag="agent-name"):
    agentName: str | None = None


class LastPrompt(Envelope, tag="last-prompt"):
    lastPrompt: str | None = None
    leafUuid: str | None = None
    explicit: bool | None = None
    """Whether a person went back to that line; if no line is named, to before the first prompt."""


class PrLink(Envelope, tag="pr-link"):
    is_row: ClassVar[bool] = True
    prNumber: int | None = None
    prUrl: str | None = None
    prRepository: str | None = None


class FrameLink(Envelope, tag="frame-link"):
    is_row: ClassVar[bool] = True
    path: str | None = None
    frameUrl: str | None = None
    title: str | None = None


class CostState(Envelope, tag="cost-state"):
    """Totals when the client exits, cumulative over resumes."""

    totalCostUSD: float | None = None
    totalAPIDuration: float | None = None
    totalDuration: float | None = None
    startTime: float | None = None
    totalAPIDurationWithoutRetries: float | None = None
    totalToolDuration: float | None = None
    totalLinesAdded: int | None = None
    totalLinesRemoved: int | None = None
    modelUsage: Annotated[Raw, Lazy(dict[str, ModelUsage])] = ABSENT
    hasUnknownModelCost: bool | None = None


class ToolsUsed(Envelope, tag="tools-used"):
    tools: list[str] | None = None


class AtisLatch(Envelope, tag="atis-latch"):
    atis: str | None = None


class ApiRequest(Envelope, tag="api-request"):
    id: str | None = None
    querySource: str | None = None
    shapeHash: str | None = None
    params: Annotated[Raw, Lazy(Params)] = ABSENT
    base: str | None = None
    """The `id` of an earlier request. This request repeats its first `keep` messages."""
    keep: int | None = None
    tail: Annotated[Raw, Lazy(list[str])] = ABSENT
    """Hashes of the messages that follow. Each message is in an `api-request-blob`."""
    cacheControl: Annotated[Raw, Lazy(list[CacheMark])] = ABSENT
    requestDigest: str | None = None


class ApiRequestBlob(Envelope, tag="api-request-blob"):
    hash: str | None = None
    message: Annotated[Raw, Lazy(Message)] = ABSENT


class ApiRequestShape(Envelope, tag="api-request-shape"):
    shapeHash: str | None = None
    shape: Annotated[Raw, Lazy(Shape)] = ABSENT


class AgentMetadata(Envelope, tag="agent_metadata"):
    """The content of a sub-agent's sidecar file, mirrored on standard output."""

    is_row: ClassVar[bool] = True

    agentType: str | None = None
    isBuiltIn: bool | None = None
    description: str | None = None
    toolUseId: str | None = None
    parentAgentId: str | None = None
    spawnDepth: int | None = None
    requestShape: str | None = None
    requestNonInteractive: bool | None = None
    pickedEffortModel: str | None = None
    finished: bool | None = None
