"""Attachments that report the output or the effect of a hook."""

from msgspec import Raw, Struct

from chorus.core.records.model.attachment import Body
from chorus.core.records.model.base import ABSENT


class HookBody(Body, kw_only=True):
    """Base of all attachments from hooks: the fields that they share."""

    hookName: str | None = None
    hookEvent: str | None = None
    toolUseID: str | None = None
    command: str | None = None
    durationMs: float | None = None


class HookSuccess(HookBody, tag="hook_success"):
    content: str | None = None
    stdout: str | None = None
    stderr: str | None = None
    exitCode: int | None = None


class HookAdditionalContext(HookBody, tag="hook_additional_context"):
    content: str | list[str] | None = None
    accountMemoryBatch: Raw = ABSENT


class HookSystemMessage(HookBody, tag="hook_system_message"):
    content: str | None = None
    heldForServedCall: Raw = ABSENT


class HookNonBlockingError(HookBody, tag="hook_non_blocking_error"):
    stdout: str | None = None
    stderr: str | None = None
    exitCode: int | None = None


class HookErrorDuringExecution(HookBody, tag="hook_error_during_execution"):
    content: str | None = None


class HookCancelled(HookBody, tag="hook_cancelled"):
    timedOut: bool | None = None
    timeoutMs: float | None = None


class HookStoppedContinuation(HookBody, tag="hook_stopped_continuation"):
    message: str | None = None
    accountMemoryBatch: Raw = ABSENT


class HookDeferredTool(HookBody, tag="hook_deferred_tool"):
    toolName: str | None = None
    toolInput: Raw = ABSENT
    permissionMode: str | None = None
    traceparent: str | None = None


class BlockingError(Struct, kw_only=True):
    blockingError: str | None = None
    command: str | None = None


class HookBlockingError(HookBody, tag="hook_blocking_error"):
    blockingError: BlockingError | None = None


class HookPermissionDecision(HookBody, tag="hook_permission_decision"):
    decision: str | None = None


class AsyncHookResponse(HookBody, tag="async_hook_response"):
    processId: str | None = None
    toolName: str | None = None
    response: Raw = ABSENT
    stdout: str | None = None
    stderr: str | None = None
    exitCode: int | None = None
    isPlainOutput: bool | None = None


class AsyncHookResponseBatch(HookBody, tag="async_hook_response_batch"):
    hooks: Raw = ABSENT


HOOK_BODIES = (
    HookSuccess
    | HookAdditionalContext
    | HookSystemMessage
    | HookNonBlockingError
    | HookErrorDuringExecution
    | HookCancelled
    | HookStoppedContinuation
    | HookDeferredTool
    | HookBlockingError
    | HookPermissionDecision
    | AsyncHookResponse
    | AsyncHookResponseBatch
)
