"""Finds the moment that a person or an address names."""

import re

from chorus.core.replay.replay import Moment, Replay
from chorus.errors import ChorusError

_SINCE = re.compile(r"(?:(?:(\d{1,6}):)?(\d{1,6}):)?(\d{1,9}(?:\.\d{1,3})?)s?")
"""Time since the start: `90`, `90s`, `1:30`, `1:02:03.5`."""
_SHOWN_CHARS = 80


class NoMoment(ChorusError):  # noqa: N818 - named by what is true
    """A moment that the conversation does not have."""


def find(replay: Replay, at: str) -> Moment:
    """Returns the moment that `at` means: its id, the id of a record, or a time. Raises `NoMoment` if there is none."""
    found = replay.find(at)
    if found is None:
        raise NoMoment(_missing(replay, at))
    return found


def find_or_since(replay: Replay, at: str) -> Moment:
    """As `find`; `at` may also be a time since the start, such as `1:30`. It means the last moment by then."""
    since = _SINCE.fullmatch(at.strip())
    if since is None:
        return find(replay, at)
    hours, minutes, seconds = since.groups()
    since_ms = round((int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(seconds)) * 1000)
    found = replay.at(since_ms) if since_ms <= replay.duration_ms else None
    if found is None:
        raise NoMoment(_missing(replay, at))
    return found


def _missing(replay: Replay, at: str) -> str:
    if not len(replay):
        return "The conversation has no moments."
    shown = at if len(at) <= _SHOWN_CHARS else at[: _SHOWN_CHARS - 1] + "…"
    # Records without a time may come first; a replay begins with the first time there is.
    first = replay.started_at or "?"
    last = next((time for each in reversed(replay.ids) if (time := each.partition("!")[0])), "?")
    seconds = replay.duration_ms // 1000
    return (
        f"The conversation has no moment {shown}: it lasts from {first} to {last} (UTC), "
        f"{seconds // 60}:{seconds % 60:02d} minutes."
    )
