"""Days as people name them: with the words of the query language."""

from datetime import date, datetime, timedelta

from chorus.core.query.dates import parse_date
from chorus.errors import ChorusError

_AN_INSTANT = timedelta(milliseconds=1)


def days_named(text: str, *, now: datetime) -> tuple[date, date]:
    """Returns the first and the last day of a period in the query language, in the time zone of `now`.

    Raises `ChorusError` if the text is not understood.
    """
    try:
        found = parse_date(text.strip(), now=now)
    except ValueError as error:
        raise ChorusError(str(error)) from error
    first, after = (datetime.fromisoformat(time).astimezone(now.tzinfo) for time in (found.start, found.end))
    return first.date(), (after - _AN_INSTANT).date()
