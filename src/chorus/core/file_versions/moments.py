"""Moments: what a person names when asking for a file as it was."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, tzinfo

from msgspec import Struct

from chorus.core.conversation.items import Order
from chorus.core.file_versions.model import FileVersions, Version
from chorus.core.records.times import wire_time
from chorus.errors import ChorusError

_SHORTEST = 4
"""The number of characters of a call's id that are enough, if no other id begins with them."""
_LAST: Order = ("\U0010ffff", 1 << 30, "", 0, 0)
"""After everything: the rank is higher than that of any stream."""


class Moment(Struct, frozen=True):
    """A version by its number, or the state after everything up to an order key."""

    number: int | None = None
    order: Order = _LAST


NOW = Moment()
"""After everything that is recorded."""


class NoMoment(ChorusError):  # noqa: N818 - named by what is true, like all errors here
    """There is no such moment."""


def moment_of(text: str, calls: Mapping[str, Order], zone: tzinfo) -> Moment:
    """Returns the moment that a text names: a version number, a moment of a replay, a call, or a time.

    `calls` has the order key of each call's end. A time without a zone is one of `zone`. Raises NoMoment.
    """
    text = text.strip()
    if not text:
        return NOW
    if (number := text.removeprefix("v")).isdecimal() and len(number) < 6:
        return Moment(number=int(number))
    if "!" in text:
        return Moment(order=_replayed(text))
    if text in calls:
        return Moment(order=calls[text])
    found = [call for call in calls if call.startswith(text)] if len(text) >= _SHORTEST else []
    if len(found) == 1:
        return Moment(order=calls[found[0]])
    if found:
        raise NoMoment(f"{text}: {len(found)} calls begin with it ({', '.join(found[:3])} …); give more of the id")
    return Moment(order=(_time(text, zone), *_LAST[1:]))


def version_at(file: FileVersions, moment: Moment) -> Version:
    """Returns the version of a file at a moment. Raises NoMoment if there is none."""
    if moment.number is not None:
        if not 1 <= moment.number <= len(file.versions):
            raise NoMoment(f"{file.path}: there is no version {moment.number}; it has 1 to {len(file.versions)}")
        return file.versions[moment.number - 1]
    if not file.versions:
        raise NoMoment(f"{file.path}: no version of it is recorded; it was only read in part")
    found = [each for each in file.versions if each.order <= moment.order]
    if found:
        return found[-1]
    first = file.versions[0]
    if first.is_start:
        return first
    raise NoMoment(f"{file.path}: nothing is recorded about it before {first.time or 'its version 1'}")


def files_at(files: Sequence[FileVersions], moment: Moment) -> list[tuple[FileVersions, Version]]:
    """Returns the files that a conversation had touched at a moment, each with its version then."""
    return [
        (file, [each for each in file.versions if each.order <= moment.order][-1])
        for file in files
        if file.versions and file.versions[0].order <= moment.order
    ]


def _replayed(text: str) -> Order:
    parts = text.split("!")
    if len(parts) < 4 or not parts[1].isdecimal() or not parts[-1].isdecimal():
        raise NoMoment(f"{text}: this is not a moment of a replay; it has the form TIME!RANK!STREAM!OFFSET")
    return (parts[0], int(parts[1]), "!".join(parts[2:-1]), int(parts[-1]), 1 << 30)


def _time(text: str, zone: tzinfo) -> str:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise NoMoment(
            f"{text}: no such moment; give a time (2026-03-01T10:05), the id of a call, or the number of a version"
        ) from None
    if time.tzinfo is None:
        time = time.replace(tzinfo=zone)
    return wire_time(time.astimezone(UTC))
