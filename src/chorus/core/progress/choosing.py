"""Which of several statements is the progress, and why it may be less than before."""

from collections.abc import Iterable

from msgspec import Struct

from chorus.core.conversation.items import Order
from chorus.core.progress.counts import Count
from chorus.core.progress.model import RANKS, Progress, Source
from chorus.core.records.place import Place

NEW_PLAN, REOPENED, RESTARTED, NEXT_STEP = "new plan", "reopened step", "restarted run", "next step"


class Stated(Struct, frozen=True):
    """A statement about progress, with its place in the order."""

    order: Order
    source: Source
    count: Count
    record: Place
    is_over: bool = False
    """Whether the program that said it has ended."""


def choose(stated: Iterable[Stated]) -> Progress | None:
    """Returns the progress after these statements.

    A statement replaces one with an equal or lower rank, and one that is over or finished. While the progress is less
    than it was at its furthest, it says why: a reader who looks now and then misses the moment at which it went back.
    """
    shown: Stated | None = None
    furthest: Stated | None = None
    reason: str | None = None
    for each in sorted(stated, key=lambda each: (each.order, each.source)):
        if shown is None or furthest is None:
            shown = furthest = each
        elif RANKS[each.source] >= RANKS[shown.source] or shown.is_over or shown.count.is_finished:
            if not _is_less(each.count, furthest.count):
                furthest, reason = each, None
            elif _is_less(each.count, shown.count):
                reason = _reason(shown, each)
            shown = each
    return _progress(shown, reason) if shown else None


def _is_less(now: Count, then: Count) -> bool:
    """Returns whether less is done: a smaller share, or a smaller number if a total is missing."""
    share, before = _share(now), _share(then)
    return now.completed < then.completed if share is None or before is None else share < before


def _reason(before: Stated, now: Stated) -> str:
    if before.source is not now.source:
        return NEXT_STEP
    if now.source in (Source.TODOS, Source.TASK):
        return REOPENED if before.count.total == now.count.total else NEW_PLAN
    return RESTARTED if before.count.step == now.count.step else NEXT_STEP


def _share(count: Count) -> float | None:
    return count.completed / count.total if count.total else None


def _progress(stated: Stated, reason: str | None) -> Progress:
    count = stated.count
    return Progress(
        step=count.step,
        completed=count.completed,
        total=count.total,
        source=stated.source,
        confidence=count.confidence,
        record=stated.record,
        at=stated.order[0],
        reason=reason,
    )
