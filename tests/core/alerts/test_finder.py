"""Tests that alerts are found where the records show a reason, and nowhere else."""

from datetime import UTC, datetime, timedelta

import pytest

from chorus.core.alerts.finder import AlertFinder
from chorus.core.alerts.model import MAX_EVIDENCE
from chorus.core.alerts.of_conversation import steps_of
from chorus.testing.builders import Session, tool_use
from chorus.testing.builders.stuck import labelled
from tests.core.conversation.reading import conversation

SORTS = list(labelled(7, 3))


def found_in(session, *, silence_s=0.0, is_at_work=True):
    """Returns the alerts of a session so long after its last line."""
    talk = conversation(session)
    finder = AlertFinder()
    for step in steps_of(talk):
        finder.feed(step)
    last_at = talk.session.ended_at
    assert last_at is not None
    now = datetime.fromisoformat(last_at).astimezone(UTC) + timedelta(seconds=silence_s)
    return finder.alerts(now, last_at, is_alive=is_at_work)


@pytest.mark.parametrize("each", SORTS, ids=[f"{number}-{each.name}" for number, each in enumerate(SORTS)])
def test_alerts_and_near_misses(each):
    """A conversation has exactly the alerts that it was built to deserve."""
    found = found_in(each.session, silence_s=each.silence_s, is_at_work=each.is_at_work)

    assert {alert.kind for alert in found} == each.expected


def test_an_alert_names_its_records():
    """A loop names the calls that failed, oldest first, and how many there were if they are too many to list."""
    session = Session()
    session.user("Go on.")
    for number in range(14):
        session.assistant(tool_use("Bash", {"command": "make"}, id=f"toolu_{number}"), stop="tool_use")
        session.tool_result(f"toolu_{number}", "Exit code 2", is_error=True)

    (alert,) = found_in(session)

    assert [each.item for each in alert.evidence] == [f"toolu_{number}" for number in range(4, 14)]
    assert (alert.count, len(alert.evidence), alert.thread) == (14, MAX_EVIDENCE, "")
    assert alert.text == "Bash failed 14 times with the same input and the same error"
    assert alert.since == "2026-01-05T09:00:02.000Z"


def test_a_loop_of_a_sub_agent_is_its_own():
    """Failures of two agents are not added up, and an alert says which agent it is about."""
    session = Session()
    session.user("Go on.")
    session.assistant(tool_use("Agent", {"prompt": "look", "description": "d"}, id="c1"))
    helper = session.agent("a1", "c1")
    helper.user("look")
    for number in range(2):
        _fail(session, f"m{number}")
    for number in range(3):
        _fail(helper, f"h{number}")

    talk = conversation(session, **{"agent-a1": helper})
    finder = AlertFinder()
    for step in steps_of(talk):
        finder.feed(step)

    assert [(alert.kind, alert.thread, alert.count) for alert in finder.loops()] == [("loop", "a1", 3)]


def test_order_of_keys_and_description_do_not_matter():
    """Inputs are equal if their values are: the order of keys and the description of a command do not count."""
    session = Session()
    session.user("Go on.")
    for number, given in enumerate(
        (
            {"command": "make", "timeout": 5},
            {"timeout": 5, "command": "make"},
            {"command": "make", "timeout": 5, "description": "Build"},
        )
    ):
        session.assistant(tool_use("Bash", given, id=f"toolu_{number}"), stop="tool_use")
        session.tool_result(f"toolu_{number}", "Exit code 2", is_error=True)

    assert [alert.count for alert in found_in(session)] == [3]


def _fail(thread, call):
    thread.assistant(tool_use("Bash", {"command": "make"}, id=call), stop="tool_use")
    thread.tool_result(call, "Exit code 2", is_error=True)
