"""What can be counted besides messages: calls, prompts, turns, and waiting for people.

A fork copies lines with their ids. Copies of one activity count once, in the conversation that started first, as
messages do in the cost ledger (`core.spending.ownership`). The result depends only on the copies themselves.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Literal, get_args

from msgspec import Struct, structs

from chorus.core.conversation.items import Limit
from chorus.core.spending.ownership import NEVER
from chorus.core.spending.periods import quarter
from chorus.find.index.durations import class_of

Kind = Literal["call", "prompt", "turn", "wait"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Outcome = Literal["done", "failed", "refused", "open"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
NO_TIME = -(1 << 40)
"""The number of a quarter that is not known."""
_QUARTER = timedelta(minutes=15)
_START = datetime(1970, 1, 1, tzinfo=UTC)
_MAX_MS = 1 << 50
_MAX_CHARS = 200


class Activity(Struct, frozen=True, array_like=True, gc=False):
    """One thing that happened in a conversation."""

    id: str
    """The same for all copies, and for nothing else."""
    kind: Kind
    name: str = ""
    """Of a call its tool, of waiting what was waited for."""
    quarter: int = NO_TIME
    """The quarter of an hour in which it began, counted from 1970 (UTC)."""
    outcome: Outcome = "done"
    duration_ms: int | None = None


class Done(Struct, frozen=True, array_like=True, gc=False):
    """Activities that are equal in everything that a report depends on, counted."""

    conversation: str
    kind: Kind
    name: str
    quarter: int
    outcome: Outcome
    duration_class: int
    """See `durations`."""
    count: int
    total_ms: int


_Copy = tuple[str, str, Activity]
"""An activity in one conversation: start of the conversation, its name, and the activity."""


def make_activity(
    item: str,
    kind: Kind,
    name: str = "",
    *,
    at: str | None,
    outcome: Outcome = "done",
    duration_ms: float | None = None,
) -> Activity:
    """Returns an activity with figures that any back end can store and add up."""
    ms = None if duration_ms is None or not 0 <= duration_ms <= _MAX_MS else int(duration_ms)
    return Activity(item, kind, name[:_MAX_CHARS], quarter_number(quarter(at)), outcome, ms)


def settle(copies: Sequence[_Copy]) -> tuple[str, Activity]:
    """Returns the owner of an activity, and what counts: the owner's copy, ended as another one says if it is open."""
    ordered = sorted(copies, key=lambda copy: (copy[0], copy[1]))
    _, owner, first = ordered[0]
    if first.outcome != "open":
        return owner, first
    ended = next((each for _, _, each in ordered if each.outcome != "open"), first)
    return owner, structs.replace(first, outcome=ended.outcome, duration_ms=ended.duration_ms)


def done_by(stored: Mapping[str, tuple[str | None, Iterable[Activity]]]) -> list[Done]:
    """Returns the sums over conversations: name → start and activities."""
    copies: dict[str, list[_Copy]] = {}
    for name, (started_at, activities) in stored.items():
        for each in activities:
            copies.setdefault(each.id, []).append((started_at or NEVER, name, each))
    sums: dict[tuple[str, Kind, str, int, Outcome, int], list[int]] = {}
    for found in copies.values():
        owner, each = settle(found)
        key = (owner, each.kind, each.name, each.quarter, each.outcome, class_of(each.duration_ms))
        known = sums.setdefault(key, [0, 0])
        known[0] += 1
        known[1] += each.duration_ms or 0
    return [Done(*key, *figures) for key, figures in sorted(sums.items())]


def latest_limits(limits: Iterable[Limit]) -> list[Limit]:
    """Returns the latest report about each limit, sorted by type."""
    found: dict[str, Limit] = {}
    for each in limits:
        known = found.get(each.type)
        if known is None or (each.reported_at or "", repr(each)) > (known.reported_at or "", repr(known)):
            found[each.type] = each
    return [found[name] for name in sorted(found)]


@lru_cache(1 << 12)
def quarter_number(text: str) -> int:
    """Returns a quarter of `core.spending.periods` as a number."""
    try:
        return (datetime.fromisoformat(text).replace(tzinfo=UTC) - _START) // _QUARTER
    except ValueError:
        return NO_TIME


@lru_cache(1 << 16)
def quarter_text(number: int) -> str:
    """Returns the quarter as text; "" if it is not known."""
    try:
        moment = _START + number * _QUARTER
    except OverflowError:
        return ""
    return f"{moment.date()}T{moment:%H:%M}"
