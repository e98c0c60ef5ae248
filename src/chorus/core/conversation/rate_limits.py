"""What the client reports about its usage limits, in words."""

from datetime import UTC, datetime, timedelta

import msgspec

from chorus.core.records.model.base import is_present
from chorus.core.records.model.stream import RateLimitEvent, RateLimitInfo

_info = msgspec.json.Decoder(RateLimitInfo)
_START = datetime(1970, 1, 1, tzinfo=UTC)
_LIMITS = {
    "five_hour": "usage limit of five hours",
    "seven_day": "usage limit of seven days",
    "seven_day_opus": "usage limit of seven days for Opus",
    "seven_day_sonnet": "usage limit of seven days for Sonnet",
    "overage": "limit of extra usage",
}
_STATES = {"allowed": "is not reached", "allowed_warning": "is nearly reached", "rejected": "is reached"}
_WORD_CHARS = 80


def rate_limit_words(event: RateLimitEvent) -> str:
    """Returns which limit it is, its status, how much is used and when it resets; times are in UTC."""
    try:
        info = _info.decode(event.rate_limit_info) if is_present(event.rate_limit_info) else RateLimitInfo()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        info = RateLimitInfo()
    kind, status = info.rateLimitType, info.status
    limit = _LIMITS.get(kind or "") or (f"usage limit “{kind[:_WORD_CHARS]}”" if kind else "usage limit")
    state = _STATES.get(status or "") or (f"has the status “{status[:_WORD_CHARS]}”" if status else "was reported")
    parts = [f"The {limit} {state}"]
    if info.utilization is not None and 0 <= info.utilization < 1e6:
        parts.append(f"{info.utilization:.0%} used")
    if when := _moment(info.resetsAt):
        parts.append(f"it resets at {when}")
    if info.overageStatus:
        parts.append(_overage(info))
    return "; ".join(parts)


def _overage(info: RateLimitInfo) -> str:
    status = info.overageStatus or ""
    state = {"allowed": "is allowed", "allowed_warning": "is nearly used up", "rejected": "is not allowed"}.get(status)
    text = f"extra usage {state or f'has the status “{status[:_WORD_CHARS]}”'}"
    if info.overageDisabledReason:
        text += f" ({info.overageDisabledReason[:_WORD_CHARS].replace('_', ' ')})"
    if when := _moment(info.overageResetsAt):
        text += f", and resets at {when}"
    return text


def _moment(seconds: float | None) -> str | None:
    """Returns a time of the client, or None if no calendar has it."""
    try:
        when = _START + timedelta(seconds=seconds) if seconds is not None else None
    except (OverflowError, ValueError):
        return None
    return f"{when:%Y-%m-%d %H:%M} UTC" if when else None
