"""A replay in the form in which the page and an exported file get it."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import TypeVar

from chorus.core.replay.finding import NoMoment, find
from chorus.core.replay.moments import key_in
from chorus.core.replay.replay import Moment, Replay
from chorus.core.replay.steps import Step
from chorus.core.replay.track import CHUNK
from chorus.show.wire import (
    ReplayGrowth,
    ReplayLane,
    ReplayMark,
    ReplayMoment,
    ReplayMoments,
    ReplaySpan,
    ReplayState,
    ReplayTimeline,
)

MAX_MARKS = 2_000
_Some = TypeVar("_Some")


def timeline(replay: Replay, most_marks: int = MAX_MARKS) -> ReplayTimeline:
    """Returns the timeline without its moments."""
    lanes, lanes_left_out = replay.lanes()
    marks = thinned(replay.marks, most_marks)
    return ReplayTimeline(
        version=replay.version,
        started_at=replay.started_at,
        duration_ms=replay.duration_ms,
        moments=len(replay),
        chunk=CHUNK,
        last=moment(replay.moment(len(replay) - 1)) if len(replay) else None,
        lanes=tuple(
            ReplayLane(
                kind=lane.kind,
                thread=lane.thread,
                label=lane.label,
                spans=tuple(
                    ReplaySpan(
                        from_ms=span.from_ms, to_ms=span.to_ms, kind=span.kind, label=span.label, count=span.count
                    )
                    for span in lane.spans
                ),
            )
            for lane in lanes
        ),
        lanes_left_out=lanes_left_out,
        marks=tuple(
            ReplayMark(
                moment=mark.moment,
                id=replay.ids[mark.moment],
                at_ms=replay.at_ms[mark.moment],
                kind=mark.kind,
                label=mark.label,
                item=mark.item,
                thread=mark.thread,
            )
            for mark in marks
        ),
        marks_left_out=len(replay.marks) - len(marks),
        has_streamed_text=bool(replay.growths),
    )


def moments(replay: Replay, number: int) -> ReplayMoments:
    """Returns the chunk that contains the moment with this number. Raises `NoMoment` if there is no such moment."""
    if not 0 <= number < len(replay):
        raise NoMoment(f"There is no moment {number}: the conversation has {len(replay)} of them.")
    chunk = number // CHUNK
    first, end = chunk * CHUNK, min((chunk + 1) * CHUNK, len(replay))
    panel, changes = replay.track.chunk(chunk)
    growths = replay.growths
    start = bisect_left(growths, first, key=lambda growth: growth.number)
    # A text that begins to grow after the last moment belongs to the last chunk.
    stop = bisect_left(growths, end, key=lambda growth: growth.number) if end < len(replay) else len(growths)
    return ReplayMoments(
        version=replay.version,
        first=first,
        ids=tuple(replay.ids[first:end]),
        at_ms=tuple(replay.at_ms[first:end]),
        steps=tuple(replay.steps[first:end]),
        panel=panel,
        changes=tuple(changes),
        growths=tuple(
            ReplayGrowth(
                item=growth.item,
                block=growth.block,
                moment=growth.moment,
                at_ms=tuple(growth.at_ms),
                chars=tuple(growth.chars),
            )
            for growth in growths[start:stop]
        ),
    )


def state(replay: Replay, at: str) -> ReplayState:
    """Returns the state at a moment. Raises `NoMoment` if the conversation does not have it."""
    found = find(replay, at)
    return ReplayState(version=replay.version, moment=moment(found), panel=replay.state(found.number))


def next_step(replay: Replay, at: str, kind: Step, *, is_back: bool) -> ReplayMoment:
    """Returns the next moment of a kind, or the one before. Raises `NoMoment` if there is none."""
    found = replay.step(find(replay, at).number, kind, is_back=is_back)
    if found is None:
        raise NoMoment(f"There is no {'earlier' if is_back else 'later'} {(kind.name or '').lower()}.")
    return moment(found)


def moment(found: Moment) -> ReplayMoment:
    """Returns a moment in the form of the API."""
    key = key_in(found.id)
    return ReplayMoment(id=found.id, number=found.number, at_ms=found.at_ms, time=(key[0] or None) if key else None)


def thinned(found: Sequence[_Some], most: int) -> Sequence[_Some]:
    """Returns an even selection of at most `most` values."""
    return found if len(found) <= most else [found[n * len(found) // most] for n in range(most)]
