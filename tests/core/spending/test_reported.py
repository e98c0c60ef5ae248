"""Tests of what the client reported, and which of its figures counts."""

from math import fsum

import pytest

from chorus.core.spending.reported_choice import choose_figures
from chorus.core.spending.rows import Reported
from chorus.testing.builders import Run, Session
from chorus.testing.builders.lines import Ids, usage
from tests.core.spending.books import said


def figures(script, **more):
    return [(row.source, row.usd) for row in said(script, **more)]


def test_turns_report_what_they_added():
    """A turn reports what it added to the running total; the first total may include more than its own turn."""
    run = Run()
    run.init()
    for total in (0.25, 0.75, 1.0):
        run.result("hi", cost=total)

    assert figures(run) == [("first-turn", 0.25), ("turns", 0.5), ("turns", 0.25)]


def test_a_stated_increment_is_no_total():
    """Newer clients report the increment itself, also on the first turn of a fork."""
    run = Run()
    run.init()
    run.result("hi", cost=4.0, model_usage_since_last_result={"m": {"costUSD": 0.5}})

    assert figures(run) == [("turns", 0.5)]


def test_the_session_file_states_a_total():
    """The last total of the session file counts, at the time of the last message that it can include."""
    session = Session()
    session.fact("cost-state", totalCostUSD=0.5)
    session.assistant("a", timestamp="2026-01-05T09:40:00.000Z")
    session.user("later", timestamp="2026-01-07T09:40:00.000Z")
    session.fact("cost-state", totalCostUSD=0.75)

    assert said(session) == [Reported("w/main/s", "2026-01-05T09:30", 0.75, "cost-state")]


def test_the_oldest_clients_wrote_the_cost_on_messages():
    """A cost on messages is counted once per message, although several lines may repeat it."""
    session = Session()
    session.assistant("a", "b", message_id="m", costUSD=0.25)
    session.assistant("c", message_id="n", costUSD=0.5)

    assert figures(session) == [("messages", 0.25), ("messages", 0.5)]


def test_a_turn_without_a_time_has_that_of_what_came_before_it():
    """A turn without a time has the time of the message before it.

    Logs of runs have no times, but the session file of the same lines has them.
    """
    session, run = Session(), Run()
    (line,) = session.assistant("hi", timestamp="2026-01-05T11:20:00.000Z")
    run.init()
    run.line("assistant", uuid=line["uuid"], message=line["message"])
    run.result("hi", cost=0.25)

    assert [row.quarter for row in said(session, run=run)] == ["2026-01-05T11:15"]
    assert [row.quarter for row in said(run)] == [""]


def test_only_one_source_counts():
    """Turns win over the session file, which wins over messages.

    They describe the same work and are never added.
    """
    rows = [
        Reported("c", "", 1.0, "messages"),
        Reported("c", "", 2.0, "cost-state"),
        Reported("c", "", 0.5, "turns"),
        Reported("c", "", 0.5, "first-turn"),
    ]

    def counted(some):
        return fsum(row.usd for row in choose_figures(some, frozenset())[0])

    assert (counted(rows), counted(rows[:2]), counted(rows[:1]), counted([])) == (1.0, 2.0, 1.0, 0.0)


@pytest.mark.parametrize("source", ["first-turn", "cost-state", "messages"])
def test_what_a_fork_carries_over_is_left_out(source):
    """A total that a fork took over is left out and noted, because its source already counts that cost."""
    rows = [Reported("fork", "", 9.0, source), Reported("other", "", 1.0, source)]

    kept, cut = choose_figures(rows, frozenset({"fork"}))

    assert ([row.conversation for row in kept], cut) == (["other"], {"fork"})


def test_a_forks_increments_are_its_own():
    """The increments of a fork are counted, and only its first total is left out."""
    rows = [Reported("fork", "", 9.0, "first-turn"), Reported("fork", "", 0.5, "turns")]

    kept, cut = choose_figures(rows, frozenset({"fork"}))

    assert (kept, cut) == (rows[1:], {"fork"})
    assert choose_figures(rows[1:], frozenset({"fork"})) == (rows[1:], frozenset())


def test_totals_of_several_runs_are_one_count():
    """The totals of several runs are one sum, because a resumed session continues its total in another log."""
    first, second = Run(), Run(ids=Ids("second"))
    for run, total, minute in ((first, 0.25, "00"), (second, 0.75, "10")):
        run.init()
        run.assistant("hi", tokens=usage(), timestamp=f"2026-01-05T09:{minute}:00.000Z")
        run.result("hi", cost=total)

    assert figures(first, second=second) == [("first-turn", 0.25), ("turns", 0.5)]
    assert figures(second, stream="z.jsonl", first=first) == [("first-turn", 0.25), ("turns", 0.5)]
