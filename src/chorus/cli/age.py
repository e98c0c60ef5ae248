"""Ages as short text."""

from datetime import UTC, datetime

from chorus.core.views import figures


def age(time: str | None, now: datetime) -> str:
    """Return how long ago `time` was, as `5 m`, `3 h` or `12 d`; empty if `time` is unknown."""
    moment = figures.moment(time, UTC)
    if moment is None:
        return ""
    minutes = max(0, int((now - moment).total_seconds() // 60))
    if minutes < 60:
        return f"{minutes} m"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // (24 * 60)} d"
