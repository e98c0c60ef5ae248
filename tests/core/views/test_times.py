"""Tests of times and durations: each row has its own, and shows only what the records say."""

import pytest

from chorus.core.views.rows import MessageRow, ToolCall
from chorus.core.views.transcript import rows as rows_of
from chorus.testing.builders import Session, text, thinking, tool_use
from tests.core.views.talks import drawn, folded, written

FIRST, NEXT = "2026-03-10T22:00:00.000Z", "2026-03-11T09:30:00.000Z"


def over_days():
    """Builds a session over two days that returns to the first day, with a sub-agent that works on the second day."""
    session = Session()
    session.user("Begin", timestamp=FIRST)
    session.user("Go on", timestamp=NEXT)
    session.user("Told late", timestamp=FIRST)
    session.assistant(tool_use("Agent", {"prompt": "look"}, id="c1"), timestamp=FIRST)
    session.tool_result("c1", "x", structured={"agentId": "a1", "status": "completed"}, timestamp=FIRST)
    agent = session.agent("a1", "c1")
    agent.user("look", timestamp=NEXT)
    agent.assistant("Seen", timestamp=NEXT)
    return folded(session, agent)


@pytest.mark.parametrize("shown", [drawn, written])
def test_rows_of_several_days_have_their_dates(shown):
    """Each change of the day is shown, also one to an earlier day.

    The row of a sub-agent that worked on another day shows that day.
    """
    found = shown(over_days())
    before, late = found.split("Told late")
    between = before.rpartition("Begin")[2]
    assert between.count("11 Mar 2026") == 1 and between.count("10 Mar 2026") == 1
    assert "11 Mar 2026 09:30:00" in late


@pytest.mark.parametrize("shown", [drawn, written])
def test_rows_of_one_day_need_no_date(shown):
    """If all rows are of one day, the heading names the day once."""
    session = Session()
    session.user("Begin", timestamp=FIRST)
    session.assistant("Done", timestamp=FIRST)
    assert shown(folded(session)).count("10 Mar 2026") == 1


def test_lines_that_were_written_together_make_no_duration():
    """The lines of a message give no duration, because they only say when each was written.

    Only the client can say how long the model took.
    """
    session = Session()
    session.user("Go")
    session.assistant(thinking("Hm"), text("So"))
    session.assistant("Later", durationMs=1500)
    first, second = [row for row in rows_of(folded(session)) if isinstance(row, MessageRow) and row.model]
    assert (first.duration_ms, second.duration_ms) == (None, 1500)


def test_a_call_and_a_result_of_one_moment_make_no_duration():
    """A call and a result with the same time give no duration, because they were written together."""
    session = Session()
    session.user("Go")
    session.assistant(tool_use("Bash", {"command": "a"}, id="1"), timestamp=FIRST)
    session.tool_result("1", "A", timestamp=FIRST)
    pieces = [piece for row in rows_of(folded(session)) if isinstance(row, MessageRow) for piece in row.pieces]
    assert [piece.duration_ms for piece in pieces if isinstance(piece, ToolCall)] == [None]
