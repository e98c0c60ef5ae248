"""The typed model: one struct per record type, with the field names of the JSON."""

from typing import get_args

from chorus.core.records.model import flat, session, stream, system, turns
from chorus.core.records.model.base import Envelope, Other

TYPED = (
    turns.Assistant
    | turns.User
    | turns.Result
    | system.System
    | stream.StreamEvent
    | stream.ControlRequest
    | stream.ControlResponse
    | stream.ControlCancelRequest
    | stream.TranscriptMirror
    | stream.CommandLifecycle
    | stream.ConversationReset
    | stream.KeepAlive
    | stream.RateLimitEvent
    | session.Summary
    | session.Snapshot
    | session.QueueOperation
    | session.FileHistorySnapshot
    | session.FileHistoryDelta
    | session.Progress
    | session.Attachment
    | session.Mode
    | session.PermissionMode
    | session.CustomTitle
    | session.AiTitle
    | session.AgentName
    | session.LastPrompt
    | session.PrLink
    | session.FrameLink
    | session.CostState
    | session.ToolsUsed
    | session.AtisLatch
    | session.ApiRequest
    | session.ApiRequestBlob
    | session.ApiRequestShape
    | session.AgentMetadata
    | flat.SessionStart
    | flat.Text
    | flat.ToolUse
    | flat.ToolResult
    | flat.PermissionRequest
    | flat.Error
)
"""Every type that the model knows. To add a type, add its struct here."""

Value = Envelope | Other
"""The value of a record: one of `TYPED`, or `Other`."""

TAGS: dict[type, str] = {struct: str(struct.__struct_config__.tag) for struct in get_args(TYPED)}
"""The `type` of each struct."""


def type_of(value: Value) -> str:
    """Returns the `type` of a record; empty if it has none."""
    return TAGS.get(type(value)) or (value.type if isinstance(value, Other) else None) or ""
