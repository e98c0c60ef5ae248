"""Tests of conversations as rows."""

import pytest

from chorus.core.views import rows
from chorus.core.views.blocks import Note, Output, Prose, SideFile, Unread
from chorus.core.views.rows import MessageRow, ToolCall, TurnRow
from chorus.core.views.transcript import DEEPEST
from chorus.core.views.transcript import rows as rows_of
from chorus.library import files
from chorus.testing.builders import Run, Session, tool_use
from tests.core.views.talks import called, finished_run, folded, tour


def calls_of(found):
    messages = [row for row in found if isinstance(row, MessageRow)]
    return [piece for row in messages for piece in row.pieces if isinstance(piece, ToolCall)]


def kinds(found):
    return [type(row).__name__.removesuffix("Row") for row in found]


def test_a_call_stands_with_its_result():
    """A result has no row of its own: it is part of its call, even if other results came first."""
    session = Session()
    session.user("Go")
    session.assistant(tool_use("Bash", {"command": "a"}, id="1"), tool_use("Bash", {"command": "b"}, id="2"))
    session.tool_result("2", "B")
    session.tool_result("1", "A")
    found = rows_of(folded(session))

    assert kinds(found) == ["Message", "Message"]
    assert [call.given for call in calls_of(found)] == [(Output(text="A"),), (Output(text="B"),)]
    assert [call.duration_ms for call in calls_of(found)] == [3000, 1000]


def test_an_agent_hangs_below_its_call():
    """The rows of a sub-agent are in the call that started it, and its prompt and last message are not repeated."""
    (agent,) = [call for call in calls_of(rows_of(folded(*tour()))) if call.name == "Agent"]

    assert agent.agent and agent.agent.kind == "reader"
    assert [call.name for call in calls_of(agent.agent.rows)] == ["Grep"]
    assert agent.asked == (Note(text="Read the docs.", is_bulk=True),)
    last = agent.agent.rows[-1]
    assert isinstance(last, MessageRow) and last.pieces == (Prose(markdown="All found."),)
    assert agent.given == (Note(text="1.2k tokens"),)


def chain_of_agents(depth):
    """Builds a conversation with a chain of sub-agents in which each one starts the next."""
    session = Session()
    session.user("Go")
    session.assistant(tool_use("Agent", {"prompt": "p0"}, id="c0"))
    session.tool_result("c0", "x", structured={"agentId": "a0", "status": "completed"})
    scripts = [session]
    for number in range(depth):
        agent = session.agent(f"a{number}", f"c{number}")
        agent.user(f"p{number}")
        agent.assistant(tool_use("Agent", {"prompt": f"p{number + 1}"}, id=f"c{number + 1}"))
        agent.tool_result(f"c{number + 1}", "x", structured={"agentId": f"a{number + 1}", "status": "completed"})
        scripts.append(agent)
    return folded(*scripts)


def agents_in(found):
    for row in found:
        if isinstance(row, rows.AgentRow):
            yield row.agent
            yield from agents_in(row.agent.rows)
    for call in calls_of(found):
        if call.agent:
            yield call.agent
            yield from agents_in(call.agent.rows)


def test_depth_has_an_end():
    """Sub-agents nest up to a limit, deeper ones follow the thread, and every sub-agent is shown exactly once."""
    found = rows_of(chain_of_agents(3 * DEEPEST))
    shown = [agent.id for agent in agents_in(found) if agent.elsewhere is None]

    assert "Agent" in kinds(found)
    assert sorted(shown) == sorted(set(shown))
    assert {f"a{number}" for number in range(3 * DEEPEST)} == set(shown)


def test_an_agent_without_a_call_is_shown():
    """A sub-agent without a known call has a row after the main thread, but only if it says something."""
    session = Session()
    session.user("Go")
    agent = session.agent("a1", "gone")
    agent.user("Look")
    found = rows_of(folded(session, agent))

    assert kinds(found) == ["Message", "Agent"]
    assert kinds(rows_of(folded(session, agent), "a1")) == ["Message"]


def test_agents_that_start_each_other_end():
    """Sub-agents that start each other in a circle are each shown once."""
    session = Session()
    session.user("Go")
    first, second = session.agent("a1", "c1"), session.agent("a2", "c2")
    for agent, other in ((first, "2"), (second, "1")):
        agent.user("p" + other)
        agent.assistant(tool_use("Agent", {"prompt": "q" + other}, id="c" + other))
        agent.tool_result("c" + other, "x", structured={"agentId": "a" + other, "status": "completed"})
    found = list(agents_in(rows_of(folded(session, first, second))))

    assert sorted(agent.id for agent in found if not agent.elsewhere) == ["a1", "a2"]
    assert "shown above" in {agent.elsewhere for agent in found}


def test_a_branch_that_was_left_is_marked():
    """When a person goes back in a conversation, both branches are shown and the abandoned one is marked."""
    session = Session()
    session.user("One")
    session.assistant("Yes?")
    back = session.leaf
    session.user("Two")
    session.assistant("No.")
    session.leaf = back
    session.user("Three")
    session.assistant("Good.")
    found = rows_of(folded(session))

    assert kinds(found) == ["Message", "Message", "Branch", "Message", "Message", "Branch", "Message", "Message"]
    marked = [row.is_abandoned for row in found if isinstance(row, MessageRow | rows.BranchRow)]
    assert marked == [False, False, True, True, True, False, False, False]
    assert [row.words for row in found if isinstance(row, rows.BranchRow)] == ["Yes?", "Yes?"]


def test_a_turn_says_how_it_ended():
    """The row of a turn shows the cost of that turn, and repeats neither the total nor the last message."""
    turns = [row for row in rows_of(folded(finished_run())) if isinstance(row, TurnRow)]

    assert [turn.cost_usd for turn in turns] == [0.5, 0.25]
    assert [turn.is_error for turn in turns] == [False, True]
    assert turns[0].blocks == ()
    assert turns[1].blocks == (Note(text="Reached the limit of 3 turns", level="error"),)


def test_what_a_turn_adds_is_shown():
    """A turn result that differs from the last message of the model is shown."""
    run = Run()
    run.assistant("One.")
    run.result("Another.")
    (turn,) = [row for row in rows_of(folded(run)) if isinstance(row, TurnRow)]

    assert turn.blocks == (Prose(markdown="Another."),)


def test_a_turn_that_a_person_ended_did_not_fail():
    """The client reports an interrupted turn as an error, but Chorus shows it as interrupted."""
    run = Run()
    run.init()
    run.assistant("I begin.")
    aborted = {"terminal_reason": "aborted_streaming", "errors": ["[diagnostic] stop_reason=null"]}
    run.result(None, subtype="error_during_execution", **aborted)
    (turn,) = [row for row in rows_of(folded(run)) if isinstance(row, TurnRow)]

    assert (turn.outcome, turn.is_error) == ("interrupted", False)
    assert turn.blocks == (Note(text="[diagnostic] stop_reason=null"),)


def test_a_permission_stands_on_its_call():
    """The decision of a permission request is shown on its call."""
    (call,) = calls_of(rows_of(folded(finished_run())))

    assert (call.permission, call.state) == ("denied", "refused")


def test_a_result_without_a_call_is_shown():
    """A result without a call has a row."""
    session = Session()
    session.user("Go")
    session.tool_result("gone", "late")
    (row,) = [row for row in rows_of(folded(session)) if isinstance(row, rows.OrphanRow)]

    assert row.call.given == (Output(text="late"),)


def test_unread_bytes_are_shown_in_their_place():
    """Unread bytes have a row with the reason and the place."""
    session = Session()
    session.user("One")
    data = bytes(session) + b"\xff{broken\n"
    (talk,) = files.fold(files.read(data))
    (row,) = [row for row in rows_of(talk) if isinstance(row, rows.NoticeRow)]

    assert isinstance(row.blocks[0], Unread)
    assert row.blocks[0].place.startswith("bytes:")


def test_internal_records_are_shown_on_request():
    """The internal records of the client are rows only on request."""
    session = Session()
    session.user("One")
    session.snapshot()
    talk = folded(session)

    assert "Notice" not in kinds(rows_of(talk))
    assert "Notice" in kinds(rows_of(talk, internal=True))


def test_waiting_input_compaction_and_mode_have_rows():
    """Queued input, a compaction and a change of mode each have a row of their own kind."""
    session = Session()
    session.user("One", permissionMode="default")
    session.user("Two", permissionMode="plan")
    session.compact("Short: one, two.")
    session.queue("enqueue", "Later")
    found = kinds(rows_of(folded(session)))

    assert {"Mode", "Compaction", "Queued"} <= set(found)


def test_a_side_file_is_named():
    """A result whose whole output is in a side file names the file, and says if the file is missing."""
    content = "<persisted-output>\nAll of it is in: /h/.claude/projects/p/s/tool-results/b1.txt\n\nIt begins: x"
    (call,) = calls_of(rows_of(called("Bash", {"command": "x"}, content)))

    assert isinstance(call.given[0], Output)
    assert call.given[0].side_file == SideFile(name="b1.txt", size_bytes=None)


OVERLOADED = {
    "status": 529,
    "headers": {"request-id": "req_1"},
    "error": {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
}


@pytest.mark.parametrize(
    ("kind", "fields", "words", "level"),
    [
        (
            "api_error",
            {"error": OVERLOADED, "retryAttempt": 3, "maxRetries": 10, "retryInMs": 5019.9},
            "529 Overloaded · retrying 3 of 10 in 5.0s",
            "warning",
        ),
        (
            "api_retry",
            {"error": "rate_limit", "error_status": 429, "attempt": 1, "max_retries": 10, "retry_delay_ms": 500},
            "429 rate_limit · retrying 1 of 10 in 500ms",
            "warning",
        ),
        (
            "api_error",
            {"error": {"message": "Connection error."}, "retryAttempt": 2},
            "Connection error. · retrying 2",
            "warning",
        ),
        ("api_error", {"error": {"status": 400}}, "400", "error"),
        ("api_error", {"content": "the API is down"}, "the API is down", "error"),
        ("api_error", {"error": [1]}, "[1]", "error"),
        ("api_error", {}, "no reason given", "error"),
    ],
)
def test_an_api_error_says_what_and_how_it_goes_on(kind, fields, words, level):
    """An error of the API is one line with the error, the number of the next attempt and the time until then."""
    session = Session()
    session.user("Go")
    session.system(kind, **fields)
    (row,) = [row for row in rows_of(folded(session)) if isinstance(row, rows.NoticeRow)]

    assert row.title == "API error"
    assert row.blocks == (Note(text=words, level=level),)


def test_errors_of_the_api_that_follow_each_other_are_one_row():
    """Consecutive API errors are one row with the last error, their number and their duration.

    A message between two errors starts a new row.
    """
    session = Session()
    session.user("Go")
    first = session.system("api_error", error=OVERLOADED, retryAttempt=1, maxRetries=10, retryInMs=500)
    session.system("stop_hook_summary", hookCount=1)
    session.system("api_error", error={"status": 500}, retryAttempt=2, maxRetries=10, retryInMs=1000)
    session.assistant("Here I am.")
    session.system("api_error", error=OVERLOADED)
    found = [row for row in rows_of(folded(session)) if isinstance(row, rows.NoticeRow)]

    assert [row.blocks for row in found] == [
        (Note(text="500 · retrying 2 of 10 in 1.0s · 2 errors in 2.0s", level="warning"),),
        (Note(text="529 Overloaded", level="error"),),
    ]
    assert found[0].id == "note:" + first["uuid"] and found[0].time == first["timestamp"]


def test_what_the_api_refused_is_said_once():
    """A message that only reports an API error is shown once, with the text that says most."""
    session = Session()
    session.user("Go")
    session.assistant("API Error: 529 Overloaded", isApiErrorMessage=True)
    session.assistant("API Error: 429", isApiErrorMessage=True, error="rate_limit")
    session.assistant("You are out of credit.", isApiErrorMessage=True, error="billing_error")
    found = [(row.error, row.pieces) for row in rows_of(folded(session))[1:] if isinstance(row, MessageRow)]

    assert found == [
        ("API Error: 529 Overloaded", ()),
        ("API Error: 429", ()),
        ("billing_error", (Prose(markdown="You are out of credit."),)),
    ]
