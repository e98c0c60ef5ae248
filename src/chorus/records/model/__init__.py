"""The typed model: one struct per record type, spelled as on the wire."""

from chorus.records.model import flat, session, stream, system, turns
from chorus.records.model.base import Envelope, Other

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
"""Every type the model knows; adding one is adding its struct here."""

Value = Envelope | Other
"""What a record holds: one of `TYPED`, or `Other`."""
