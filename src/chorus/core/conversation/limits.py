"""The limits of the account that the client reports, such as the share of a week that is used."""

from math import isfinite

import msgspec

from chorus.core.conversation import notices
from chorus.core.conversation.fold_context import FoldContext
from chorus.core.conversation.items import Limit
from chorus.core.records.model.base import is_present
from chorus.core.records.model.stream import RateLimitEvent, RateLimitInfo

_MAX_CHARS = 80
_MAX_LIMITS = 32
"""A client knows a handful of limits. More of them are not stored, so that no record can fill the session."""
_info = msgspec.json.Decoder(RateLimitInfo)


def reported(context: FoldContext, value: RateLimitEvent) -> None:
    """Registers a limit. The latest report of each type in the order counts."""
    notices.note(context)
    if context.is_foreign or not is_present(value.rate_limit_info):
        return
    try:
        info = _info.decode(value.rate_limit_info)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return
    limit = Limit(
        type=(info.rateLimitType or "")[:_MAX_CHARS],
        status=info.status[:_MAX_CHARS] if info.status is not None else None,
        utilization=_finite(info.utilization),
        resets_at_s=_finite(info.resetsAt),
        reported_at=context.time,
    )
    session = context.state.session
    known = {each.type: each for each in session.limits}
    if context.keep_latest(f"limit:{limit.type}", msgspec.to_builtins(limit)):
        known[limit.type] = limit
        session.limits = tuple(known[name] for name in sorted(known)[:_MAX_LIMITS])
        context.session_changed = True


def _finite(number: float | None) -> float | None:
    return number if number is not None and isfinite(number) else None
