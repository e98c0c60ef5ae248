"""Tests in which column of the board a conversation is."""

from datetime import UTC, datetime, timedelta, timezone
from itertools import product

import pytest

from chorus.core.board.columns import Column, column_of
from chorus.core.board.facts import ClientFact, LiveFacts, RecordFacts, RequestFact, RunFact
from chorus.core.conversation.items import Status
from chorus.core.records.times import wire_time

NOW = datetime(2026, 3, 2, 15, 0, tzinfo=UTC)
JUST_NOW, LONG_AGO, YESTERDAY = (
    wire_time(NOW - timedelta(seconds=5)),
    wire_time(NOW - timedelta(hours=2)),
    wire_time(NOW - timedelta(days=1)),
)
REQUEST = RequestFact(id="r1", tool="Bash")


def column(status, last_at=JUST_NOW, *, client=None, run=None, requests=(), sub_agents=0, now=NOW):
    records = RecordFacts(status=status, last_at=last_at, sub_agents_at_work=sub_agents)
    return column_of(records, LiveFacts(client=client, run=run, requests=requests), now)


def client(status):
    return ClientFact(status=status)


def run(state, *, is_failure=False, ended_at=None):
    return RunFact(id="run1", state=state, is_failure=is_failure, ended_at=ended_at)


def facts(status, last_at=JUST_NOW, **more):
    """Returns the arguments of `column`."""
    return {"status": status, "last_at": last_at, **more}


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        (facts(Status.THINKING, requests=(REQUEST,)), Column.NEEDS_YOU),
        (facts(Status.RUNNING, run=run("waiting")), Column.NEEDS_YOU),
        (facts(Status.RUNNING, client=client("waiting")), Column.NEEDS_YOU),
        (facts(Status.WAITING), Column.NEEDS_YOU),
        (facts(Status.WAITING, YESTERDAY), Column.IDLE),
        (facts(Status.DONE, client=client("busy")), Column.WORKING),
        (facts(Status.RUNNING, LONG_AGO, client=client("busy")), Column.WORKING),
        (facts(Status.IDLE, run=run("starting")), Column.WORKING),
        (facts(Status.EDITING), Column.WORKING),
        (facts(Status.EDITING, LONG_AGO), Column.IDLE),
        (facts(Status.DONE, sub_agents=2), Column.WORKING),
        (facts(Status.DONE, LONG_AGO, sub_agents=2), Column.DONE),
        (facts(Status.DONE), Column.DONE),
        (facts(Status.DONE, client=client("idle")), Column.IDLE),
        (facts(Status.DONE, run=run("idle")), Column.IDLE),
        (facts(Status.THINKING, run=run("idle")), Column.IDLE),
        (facts(Status.DONE, YESTERDAY), Column.IDLE),
        (facts(Status.DONE, None), Column.IDLE),
        (facts(Status.INTERRUPTED), Column.IDLE),
        (facts(Status.FAILED), Column.FAILED),
        (facts(Status.FAILED, run=run("idle")), Column.FAILED),
        (facts("damaged"), Column.FAILED),
        (facts(Status.RUNNING, run=run("lost")), Column.FAILED),
        (facts(Status.DONE, run=run("ended", is_failure=True, ended_at=JUST_NOW)), Column.FAILED),
        (facts(Status.RUNNING, run=run("ended", ended_at=JUST_NOW)), Column.IDLE),
        (facts(Status.DONE, run=run("ended", ended_at=JUST_NOW)), Column.DONE),
        (facts(Status.RUNNING, run=run("ended", is_failure=True, ended_at=YESTERDAY)), Column.WORKING),
        (facts(Status.RUNNING, run=run("lost", ended_at=JUST_NOW), client=client("busy")), Column.WORKING),
    ],
)
def test_columns(known, expected):
    """A request comes before a run, a run before the registry of the client, and that before the records."""
    assert column(**known) == expected


def test_every_conversation_is_in_one_column():
    """Whatever the facts say together, there is exactly one column, and only a person's part makes it "needs you"."""
    clients = [None, *(client(status) for status in ("idle", "busy", "waiting"))]
    states = ("starting", "running", "waiting", "idle", "ending", "ended", "lost", "something new")
    runs = [None, *(run(state, is_failure=failed) for state in states for failed in (False, True))]
    times = (JUST_NOW, LONG_AGO, YESTERDAY, None, "not a time")
    statuses = [*Status, "damaged", "something new"]
    for status, last_at, a_client, a_run, requests in product(statuses, times, clients, runs, ((), (REQUEST,))):
        found = column(status, last_at, client=a_client, run=a_run, requests=requests)

        assert found in Column
        if found is Column.NEEDS_YOU:
            waits = [
                requests,
                status == Status.WAITING,
                a_client == client("waiting"),
                a_run and a_run.state == "waiting",
            ]
            assert any(waits)


def test_today_is_the_day_of_the_person():
    """A turn that ended before midnight of the person's own time zone was not done today."""
    last_at = "2026-03-02T22:30:00.000Z"
    there = timezone(timedelta(hours=2))

    assert column(Status.DONE, last_at, now=datetime(2026, 3, 2, 23, 0, tzinfo=UTC)) is Column.DONE
    assert column(Status.DONE, last_at, now=datetime(2026, 3, 3, 1, 0, tzinfo=there)) is Column.DONE
    assert column(Status.DONE, "2026-03-02T21:30:00.000Z", now=datetime(2026, 3, 3, 1, 0, tzinfo=there)) is Column.IDLE


@pytest.mark.parametrize(("last_at", "hours"), [("9999-12-31T23:30:00.000Z", 14), ("0001-01-01T00:30:00.000Z", -12)])
def test_a_time_at_the_end_of_the_calendar_is_a_time_like_any_other(last_at, hours):
    """A time that has no day in the person's time zone puts the conversation into a column."""
    now = NOW.astimezone(timezone(timedelta(hours=hours)))

    assert column(Status.DONE, last_at, now=now) is Column.IDLE
