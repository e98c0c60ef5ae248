"""The column of a conversation on the board. Every conversation is in exactly one.

Facts are believed in this order: a pending request, a run of Chorus, the registry of the client, the records.
"""

from datetime import UTC, datetime, timedelta
from enum import StrEnum

from chorus.core.board.ended_runs import is_over_after, is_unfinished
from chorus.core.board.facts import LiveFacts, RecordFacts, RunFact
from chorus.core.conversation.items import Status
from chorus.core.views import figures
from chorus.core.views.activity import activity

_AT_WORK_AFTER = timedelta(minutes=10)
"""A sub-agent at work writes more often than this."""


class Column(StrEnum):
    """The columns of the board, from left to right."""

    NEEDS_YOU = "needs you"
    WORKING = "working"
    IDLE = "idle"
    DONE = "done today"
    FAILED = "failed"


def column_of(records: RecordFacts, live: LiveFacts, now: datetime) -> Column:
    """Returns the column. `now` has the time zone of the person: it decides what is today."""
    if live.requests:
        return Column.NEEDS_YOU
    run = live.run
    if run is not None and run.is_living and run.state != "idle":
        return Column.NEEDS_YOU if run.state == "waiting" else Column.WORKING
    if run is None or not run.is_living:
        if live.client is not None and live.client.status != "idle":
            return Column.NEEDS_YOU if live.client.status == "waiting" else Column.WORKING
        if run is not None and live.client is None and _ended_it(run, records):
            return Column.FAILED if run.is_failure or run.state == "lost" else Column.IDLE
    return _by_records(records, now, is_open=live.is_open, is_idle_run=run is not None and run.is_living)


def _by_records(records: RecordFacts, now: datetime, *, is_open: bool, is_idle_run: bool) -> Column:
    state = activity(records.status, records.last_at, now)
    if state in ("failed", "damaged"):
        return Column.FAILED
    if not is_idle_run:
        if state == "waiting":
            return Column.NEEDS_YOU
        if state == "working":
            return Column.WORKING
    last = figures.moment(records.last_at, UTC)
    if records.sub_agents_at_work and last is not None and now - last <= _AT_WORK_AFTER:
        return Column.WORKING
    local = figures.moment(records.last_at, now.tzinfo)
    is_today = local is not None and local.date() >= now.date()
    if state == Status.DONE and is_today and not is_open:
        return Column.DONE
    return Column.IDLE


def _ended_it(run: RunFact, records: RecordFacts) -> bool:
    """Whether the end of the run is the last that is known: nothing was recorded after it, or it failed."""
    if not is_over_after(run, records.last_at):
        return False
    return run.is_failure or run.state == "lost" or is_unfinished(records.status)
