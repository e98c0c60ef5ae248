"""The current activity of a conversation: the status in its records, and how old they are.

The web application applies the same rules.
"""

from datetime import UTC, datetime, timedelta

from chorus.core.conversation.items import Status
from chorus.core.views import figures

_QUIET = "quiet"
"""The records end in the middle of something, and the client has written nothing since then."""
_AT_WORK = {Status.THINKING, Status.READING, Status.EDITING, Status.RUNNING}
_QUIET_AFTER = timedelta(minutes=10)
"""A client that is working writes more often than this."""
_ABANDONED_AFTER = timedelta(hours=12)
"""People may answer late, but after this time the client that asked was most likely closed."""


def current_status(status: str, last: str | None, now: datetime) -> str:
    """Returns the status of a conversation with its last record at `last`, or `quiet` if that is too long ago."""
    moment = figures.moment(last, UTC)
    silence = now - moment if moment else timedelta.max
    limit = _QUIET_AFTER if status in _AT_WORK else _ABANDONED_AFTER if status == Status.WAITING else timedelta.max
    return _QUIET if silence > limit else status


def activity(status: str, last: str | None, now: datetime) -> str:
    """Returns the same as one of the words that the query key `status:` accepts."""
    status_now = current_status(status, last, now)
    return "working" if status_now in _AT_WORK else "waiting" if status_now == Status.WAITING else status_now
