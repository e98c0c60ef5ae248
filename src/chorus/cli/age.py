"""How long ago something was, as people say it."""

from datetime import UTC, datetime

from chorus.core.views import figures


def age(time: str | None, now: datetime) -> str:
    """`5 m`, `3 h`, `12 d`: how long ago; empty when that is not known."""
    moment = figures.moment(time, UTC)
    if moment is None:
        return ""
    minutes = max(0, int((now - moment).total_seconds() // 60))
    if minutes < 60:
        return f"{minutes} m"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // (24 * 60)} d"
