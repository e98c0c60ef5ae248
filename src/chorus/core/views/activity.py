"""What a conversation is doing now: what its records said, judged by how long ago. The page judges alike."""

from datetime import UTC, datetime, timedelta

from chorus.core.conversation.items import Status
from chorus.core.views import figures

_QUIET = "quiet"
"""The records end in the middle of something, and the client wrote nothing since."""
_AT_WORK = {Status.THINKING, Status.READING, Status.EDITING, Status.RUNNING}
_QUIET_AFTER = timedelta(minutes=10)
"""A client at work writes more often than this."""
_FORGOTTEN_AFTER = timedelta(hours=12)
"""People answer late, but a question of yesterday is most likely one of a client that was closed."""


def doing(status: str, last: str | None, now: datetime) -> str:
    """The status of a conversation whose last record is of that time, or `quiet`."""
    moment = figures.moment(last, UTC)
    silence = now - moment if moment else timedelta.max
    patience = _QUIET_AFTER if status in _AT_WORK else _FORGOTTEN_AFTER if status == Status.WAITING else timedelta.max
    return _QUIET if silence > patience else status


def activity(status: str, last: str | None, now: datetime) -> str:
    """The same in the few words that `status:` asks for."""
    said = doing(status, last, now)
    return "working" if said in _AT_WORK else "waiting" if said == Status.WAITING else said
