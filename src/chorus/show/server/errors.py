"""Turns exceptions into `Problem`, the one form in which errors are sent. No other module does this."""

from chorus.core.replay.finding import NoMoment
from chorus.errors import ChorusError, IndexDamaged, QueryError, SourceUnreadable
from chorus.show.transcripts.keys import BadCursor
from chorus.show.wire import Problem

BUILDING = "The index is being made. This page goes on by itself when it is there."


class Refused(Exception):  # noqa: N818 - the name says what happened
    """Raised to refuse a request, with the HTTP status and the reason."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.problem = Problem(kind=kind, message=message)


def not_found(what: str) -> Refused:
    return Refused(404, "not_found", what)


def bad_request(why: str) -> Refused:
    return Refused(400, "bad_request", why)


def problem_of(error: Exception) -> tuple[int, Problem]:
    """Returns the HTTP status and the `Problem` of an exception. An unexpected exception reveals no details."""
    match error:
        case Refused():
            return error.status, error.problem
        case QueryError():
            return 400, Problem(kind="bad_query", message=error.message, at=(error.start, error.end))
        case BadCursor():
            return 400, Problem(kind="bad_request", message=str(error))
        case NoMoment():
            return 404, Problem(kind="no_moment", message=str(error))
        case SourceUnreadable():
            return 404, Problem(kind="not_found", message=str(error))
        case IndexDamaged():
            return 503, Problem(kind="index_building", message=BUILDING)
        case ChorusError():
            return 500, Problem(kind="failed", message=str(error))
        case _:
            return 500, Problem(kind="internal", message="Something went wrong in the server; its log says where.")
