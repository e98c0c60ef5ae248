"""What the end of a run means for its conversation: records that end in the middle of something go on no more."""

from datetime import UTC

from chorus.core.board.facts import RunFact
from chorus.core.conversation.items import Status
from chorus.core.views import figures

_UNFINISHED = frozenset((Status.THINKING, Status.READING, Status.EDITING, Status.RUNNING, Status.WAITING))


def is_over_after(run: RunFact, last_at: str | None) -> bool:
    """Returns whether the run ended, and nothing was recorded after its end."""
    if run.is_living:
        return False
    ended, last = figures.moment(run.ended_at, UTC), figures.moment(last_at, UTC)
    return ended is None or last is None or last <= ended


def is_unfinished(status: str) -> bool:
    """Returns whether records with this status end in the middle of something."""
    return status in _UNFINISHED


def status_after(run: RunFact | None, status: str, last_at: str | None) -> str:
    """Returns the status of a conversation from the last fact about it: its records, or the end of its run.

    The web application applies the same rule to runs that ended a moment ago.
    """
    if run is None or not is_unfinished(status) or not is_over_after(run, last_at):
        return status
    return (Status.FAILED if run.is_failure or run.state == "lost" else Status.INTERRUPTED).value
