"""Tests lines of one message that repeat each other, messages that were never finished, and branches at the start."""

from typing import Any

import pytest

from chorus.core.conversation.items import Call, Compaction, Message, Notice
from chorus.core.conversation.todos import tasks
from chorus.core.views.rows import BranchRow, MessageRow, ToolCall
from chorus.core.views.transcript import rows
from chorus.testing.builders import Run, Session, text, thinking, tool_use
from tests.core.conversation.reading import conversation, words


def _chunks(*lines: list[dict[str, Any]]) -> Session:
    session = Session()
    session.user("go")
    for content in lines:
        (line,) = session.assistant("x", message_id="m1")
        line["message"]["content"] = content
    return session


@pytest.mark.parametrize(
    "lines",
    [
        ([text("Hel")], [text("Hello")], [text("Hello world")]),
        ([text("Hello world")], [text("Hello world")]),
        ([thinking("hm"), text("Hello")], [thinking("hm"), text("Hello world")]),
        ([text("Hello world")], [text("Hello world"), tool_use("Read", {"file_path": "a"}, id="t1")]),
    ],
)
def test_what_a_later_line_repeats_is_shown_once(lines: tuple[list[dict[str, Any]], ...]) -> None:
    """Cumulative and identical lines of one message become one message that has every text once."""
    talk = conversation(_chunks(*lines))

    assert words(talk) == ["human: go", "model: Hello world"]


def test_a_call_that_grew_is_shown_once_with_its_whole_input() -> None:
    """A call that is first recorded without input is shown once, with the input of the later line."""
    session = _chunks(
        [text("I look.")],
        [text("I look."), tool_use("Read", {}, id="t1")],
        [text("I look."), tool_use("Read", {"file_path": "/w/a.py"}, id="t1")],
    )
    (row,) = [row for row in rows(conversation(session)) if isinstance(row, MessageRow) and row.author == "model"]
    calls = [piece for piece in row.pieces if isinstance(piece, ToolCall)]

    assert [call.title for call in calls] == ["/w/a.py"]
    assert len(row.pieces) == 2


def test_blocks_that_differ_are_all_shown() -> None:
    """Different blocks of one message on several lines are all shown, and none is taken for a repetition."""
    lines = [[thinking("hm")], [text("One.")], [text("Two.")], [tool_use("Read", {}, id="t1")], [text("One")]]
    talk = conversation(_chunks(*lines))

    assert words(talk) == ["human: go", "model: One.\n\nTwo.\n\nOne"]


@pytest.mark.parametrize("after", ["result", "message", "nothing"])
def test_a_message_that_never_finished_is_marked(after: str) -> None:
    """A message is unfinished if the stream continued without ending it; if nothing follows, it is partial."""
    run = Run()
    run.init()
    run.streamed("Half of", message_id="m1")
    if after == "result":
        run.result(None, subtype="error_during_execution", terminal_reason="aborted_streaming")
    elif after == "message":
        run.streamed("Whole", message_id="m2")
    found = [row for row in rows(conversation(run)) if isinstance(row, MessageRow)]

    assert (found[0].is_unfinished, found[0].is_partial) == (after != "nothing", after == "nothing")


@pytest.mark.parametrize(("more", "stop", "marked"), [({"isAbortedMidStream": True}, None, True), ({}, None, False)])
def test_a_line_says_that_its_message_was_cut_off(more: dict[str, Any], stop: str | None, marked: bool) -> None:
    """A message is unfinished if its line says that it was cut off; a missing stop reason alone does not mean this."""
    session = Session()
    session.assistant("Half", stop=stop, **more)

    assert [message.is_unfinished for message in conversation(session).all(Message)] == [marked]


def test_a_stream_that_ends_its_messages_marks_none() -> None:
    """A message with all its stream events is not marked as unfinished."""
    run = Run()
    run.streamed("Whole", message_id="m1")
    run.event("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 3})
    run.event("message_stop")
    run.assistant("Whole", message_id="m1")
    run.result()

    assert not any(message.is_unfinished for message in conversation(run).all(Message))


def test_two_prompts_at_the_beginning_are_a_branch() -> None:
    """Two prompts at the beginning are two branches: the older one is abandoned, and the newest one continues."""
    session = Session()
    session.user("first try")
    session.assistant("Tried.")
    session.leaf = None
    session.user("second try")
    session.assistant("Better.")

    found = rows(conversation(session))

    assert [(row.is_abandoned, row.words) for row in found if isinstance(row, BranchRow)] == [
        (True, "the beginning of the conversation"),
        (False, "the beginning of the conversation"),
    ]
    assert [row.is_abandoned for row in found if isinstance(row, MessageRow)] == [True, True, False, False]


def test_a_hook_of_another_start_is_no_branch() -> None:
    """Prompts below the start hooks of two processes are no branches, and neither are lines without links."""
    session = Session()
    for said in ("one", "two"):
        session.leaf = None
        session.progress("hook_progress", "t0", hookEvent="SessionStart")
        session.user(said)
    bare = Session()
    for said in ("three", "four"):
        del bare.user(said)["parentUuid"]

    assert not [row for talk in (session, bare) for row in rows(conversation(talk)) if isinstance(row, BranchRow)]


def test_two_prompts_below_the_same_hook_are_a_branch() -> None:
    """Two prompts that continue the same line of a start hook are two branches."""
    session = Session()
    start = session.progress("hook_progress", "t0", hookEvent="SessionStart")["uuid"]
    for said in ("one", "two"):
        session.leaf = start
        session.user(said)

    assert len([row for row in rows(conversation(session)) if isinstance(row, BranchRow)]) == 2


def test_a_compaction_is_no_second_beginning() -> None:
    """The boundary of a compaction has no parent in the file, but it continues the conversation and makes no branch."""
    session = Session()
    session.user("go")
    session.compact("what was said")
    session.user("go on")

    assert not [row for row in rows(conversation(session)) if isinstance(row, BranchRow)]


def test_a_microcompaction_is_no_compaction() -> None:
    """A microcompaction summarises nothing and is no compaction; a notice shows its trigger and saved tokens."""
    session = Session()
    facts = {"trigger": "auto", "preTokens": 58573, "tokensSaved": 20801}
    session.system("microcompact_boundary", content="Context microcompacted", microcompactMetadata=facts)
    talk = conversation(session)

    (notice,) = talk.all(Notice)

    assert talk.all(Compaction) == []
    assert not notice.is_internal
    assert all(part in (notice.text or "") for part in ("auto", "58,573", "20,801"))


def test_a_sub_agents_task_keeps_its_subject() -> None:
    """The id of a task that a sub-agent created is read from the text of the result, which has no structured form."""
    session = Session()
    session.assistant(tool_use("Agent", {"prompt": "plan"}, id="t1"))
    agent = session.agent("a1", "t1")
    agent.user("plan")
    agent.assistant(tool_use("TaskCreate", {"subject": "Build it", "description": "all"}, id="t2"))
    agent.tool_result("t2", "Task #7 created successfully: Build it")
    session.assistant(tool_use("TaskUpdate", {"taskId": "7", "status": "completed"}, id="t3"))
    session.tool_result("t3", "Updated", structured={"success": True, "taskId": "7"})

    (task,) = tasks(conversation(session, **{"agent-a1": agent}))

    assert (task.id, task.subject, task.status) == ("7", "Build it", "completed")


def test_a_resumed_agent_stands_below_both_calls() -> None:
    """The first work of a sub-agent is shown below the call that started it, and later work below the message to it."""
    session = Session()
    session.user("go")
    session.assistant(tool_use("Agent", {"prompt": "look"}, id="t1"))
    agent = session.agent("a1", "t1")
    agent.user("look")
    agent.assistant("seen", stop="end_turn")
    session.tool_result("t1", "report", structured={"agentId": "a1", "status": "completed"})
    session.assistant(tool_use("SendMessage", {"to": "a1", "message": "again"}, id="t2"))
    told = {"success": True, "resumedAgentId": "a1"}
    session.tool_result("t2", "Resuming", structured=told)
    agent.user("again")
    agent.assistant("seen more", stop="end_turn")

    talk = conversation(session, **{"agent-a1": agent})
    pieces = [piece for row in rows(talk) if isinstance(row, MessageRow) for piece in row.pieces]
    below = {
        call.id: [piece.markdown for row in call.agent.rows for piece in getattr(row, "pieces", ())]
        for call in pieces
        if isinstance(call, ToolCall) and call.agent
    }

    assert {call.tool_use_id: call.subagent for call in talk.all(Call)} == {"t1": "a1", "t2": "a1"}
    assert talk.agents[0].call == "t1"
    assert below == {"t1": ["seen"], "t2": ["again", "seen more"]}
