"""What a compaction kept, removed and cost."""

from msgspec import Struct


class PreservedSegment(Struct, kw_only=True):
    headUuid: str | None = None
    head_uuid: str | None = None
    anchorUuid: str | None = None
    anchor_uuid: str | None = None
    tailUuid: str | None = None
    tail_uuid: str | None = None


class PreservedMessages(Struct, kw_only=True):
    anchorUuid: str | None = None
    anchor_uuid: str | None = None
    uuids: list[str] | None = None
    allUuids: list[str] | None = None
    all_uuids: list[str] | None = None


class CompactMetadata(Struct, kw_only=True):
    """What a compaction did, in both spellings."""

    trigger: str | None = None
    preTokens: int | None = None
    pre_tokens: int | None = None
    postTokens: int | None = None
    post_tokens: int | None = None
    durationMs: float | None = None
    duration_ms: float | None = None
    cumulativeDroppedTokens: int | None = None
    cumulative_dropped_tokens: int | None = None
    preservedSegment: PreservedSegment | None = None
    preserved_segment: PreservedSegment | None = None
    preservedMessages: PreservedMessages | None = None
    preserved_messages: PreservedMessages | None = None


class MicrocompactMetadata(Struct, kw_only=True):
    trigger: str | None = None
    preTokens: int | None = None
    tokensSaved: int | None = None
    compactedToolIds: list[str] | None = None
    clearedAttachmentUUIDs: list[str] | None = None
