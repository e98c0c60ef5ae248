"""Parts of a user line: its origin, and the permission decision on the tool call that it answers."""

from msgspec import Raw, Struct

from chorus.core.records.model.base import ABSENT


class Origin(Struct, kw_only=True):
    """The person or program that a user line came from."""

    kind: str | None = None
    producer: str | None = None
    runId: str | None = None


class TurnPosition(Struct, kw_only=True):
    promptIndex: int | None = None
    turnIndex: int | None = None


class PermissionDecision(Struct, kw_only=True):
    """Why a tool call ran or did not run, in both spellings."""

    decision: str | None = None
    source: str | None = None
    reasonType: str | None = None
    reason_type: str | None = None
    reasonCode: str | None = None
    reason_code: str | None = None
    grantScope: str | None = None
    grant_scope: str | None = None
    ruleSource: str | None = None
    rule_source: str | None = None


class ToolResultMeta(Struct, kw_only=True):
    id: str | None = None
    permission_decision: PermissionDecision | None = None
    non_execution_kind: str | None = None


class ThinkingMetadata(Struct, kw_only=True):
    level: str | None = None
    disabled: bool | None = None
    triggers: Raw = ABSENT
    maxThinkingTokens: int | None = None


class Todo(Struct, kw_only=True):
    """An item of a to-do list. Only the oldest clients write `id` and `priority`."""

    content: str | None = None
    status: str | None = None
    activeForm: str | None = None
    id: str | None = None
    priority: str | None = None
