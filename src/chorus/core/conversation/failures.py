"""Errors of the API, as the client reports them: `api_error` in session files, `api_retry` on standard output."""

import msgspec

from chorus.core.conversation.items import ApiFailure
from chorus.core.records.model.base import is_present
from chorus.core.records.model.system import ApiError, ErrorBody, System

_KINDS = frozenset({"api_error", "api_retry"})
_MAX_CHARS = 4000
_error = msgspec.json.Decoder(str | ApiError)


def is_failure(type: str, kind: str) -> bool:  # noqa: A002 - as notices name it
    """Returns whether a notice of this type and kind reports an error of the API."""
    return type == "system" and kind in _KINDS


def failure_of(value: System) -> ApiFailure | None:
    """Returns the API error in the record, or None for a record of another kind."""
    if value.subtype not in _KINDS:
        return None
    status: int | str | None = value.error_status
    words = value.content or value.message
    if is_present(value.error):
        try:
            error = _error.decode(value.error)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            error = bytes(value.error).decode("utf-8", "replace")
        if isinstance(error, ApiError):
            status = error.status if status is None else status
            words = words or _innermost(error.error) or error.message or error.formatted or error.type
        else:
            words = words or error
    return ApiFailure(
        status=None if status is None else str(status),
        words=words[:_MAX_CHARS] if words else None,
        attempt=value.retryAttempt if value.attempt is None else value.attempt,
        most_attempts=value.maxRetries if value.max_retries is None else value.max_retries,
        delay_ms=value.retryInMs if value.retry_delay_ms is None else value.retry_delay_ms,
    )


def _innermost(error: ErrorBody | None) -> str | None:
    """Returns the text of a nested error: the innermost one is the most specific."""
    words: str | None = None
    while error is not None:
        words = error.message or (None if error.error else error.type) or words
        error = error.error
    return words
