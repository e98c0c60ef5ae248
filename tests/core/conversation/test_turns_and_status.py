"""Tests the end of turns and the status of a conversation."""

from typing import Any

import pytest

import chorus
from chorus.testing.builders import Flat, Run, Session, thinking, tool_use
from tests.core.conversation.reading import conversation
from tests.core.conversation.talks import read

READING = [
    "Glob",
    "Grep",
    "LS",
    "NotebookRead",
    "WebFetch",
    "WebSearch",
    "ToolSearch",
    "LSP",
    "BashOutput",
    "TaskOutput",
]


def test_a_turn_says_what_the_client_reported() -> None:
    """A turn has text, subtype, errors, number of turns and both durations."""
    run = Run()
    run.init()
    run.result("All good.", num_turns=3)
    run.result(None, subtype="error_max_turns", errors=["Reached the limit"])

    talk = conversation(run)
    good, bad = talk.turns

    assert (talk.text(good), good.subtype, good.is_error, good.num_turns) == ("All good.", "success", False, 3)
    assert (good.duration_ms, good.duration_api_ms) == (1200, 900)
    assert (bad.subtype, bad.is_error, bad.errors) == ("error_max_turns", True, ("Reached the limit",))


def test_an_api_failure_is_a_success_with_an_error() -> None:
    """A turn result with the subtype success and an error makes the conversation failed."""
    run = Run()
    run.init()
    run.result("API Error: 529", is_error=True)

    talk = conversation(run)

    assert talk.turns[0].is_error
    assert talk.status.value == "failed"


@pytest.mark.parametrize(
    ("tool", "status"),
    [
        ("Read", "reading"),
        *((tool, "reading") for tool in READING),
        ("Edit", "editing"),
        ("Write", "editing"),
        ("Bash", "running"),
        ("mcp__x__y", "running"),
        ("MultiEdit", "editing"),
        ("NotebookEdit", "editing"),
        ("AskUserQuestion", "waiting for permission"),
        ("ExitPlanMode", "waiting for permission"),
    ],
)
def test_an_open_call_tells_what_is_being_done(tool: str, status: str) -> None:
    """The newest call without a result gives the status of the conversation."""
    session = Session()
    session.user("go")
    session.assistant(tool_use(tool, id="t1"), stop="tool_use")

    assert conversation(session).status.value == status


def test_status_follows_the_conversation() -> None:
    """The status is idle before a prompt, thinking after a prompt or a result, and done after the answer."""
    session = Session()
    session.attachment("skill_listing")
    seen = [conversation(session).status.value]
    session.user("go")
    seen.append(conversation(session).status.value)
    session.assistant(tool_use("Bash", id="t1"), stop="tool_use")
    seen.append(conversation(session).status.value)
    session.tool_result("t1", "ok")
    seen.append(conversation(session).status.value)
    session.assistant("done", stop="end_turn")
    seen.append(conversation(session).status.value)
    session.user("[Request interrupted by user]")
    seen.append(conversation(session).status.value)

    assert seen == ["idle", "thinking", "running", "thinking", "done", "interrupted"]


def test_a_call_of_an_earlier_turn_is_not_being_done() -> None:
    """After the next prompt, a call that a killed client left without a result does not give the status."""
    session = Session()
    session.user("go")
    session.assistant(tool_use("Bash", id="t1"))
    session.user("still there?")

    assert conversation(session).status.value == "thinking"


def test_a_flat_permission_request_waits_and_decides_nothing() -> None:
    """A flat permission request is shown as waiting, but it creates no request that could be answered."""
    flat = Flat()
    flat.start("s")
    flat.permission_request("Allow 'rm -rf build'?")

    talk = conversation(flat)

    assert talk.status.value == "waiting for permission"
    assert talk.all(chorus.Permission) == []
    assert [notice.text for notice in talk.notices if not notice.is_internal] == ["Allow 'rm -rf build'?"]
    flat.tool_use("t1", "Bash")
    assert conversation(flat).status.value == "running"


def test_a_flat_error_fails_the_conversation() -> None:
    """An error event makes the conversation failed and is shown with its type and message."""
    flat = Flat()
    flat.start("s")
    flat.error("api_error", "Rate limit exceeded")

    talk = conversation(flat)

    assert talk.status.value == "failed"
    assert talk.notices[-1].text == "api_error: Rate limit exceeded"


def test_the_turns_of_a_stream_without_times_stand_after_their_line() -> None:
    """A turn without a time, as old clients write it, comes after the line that precedes it on stdout."""
    session, run = Session(), Run()
    run.init()
    for n in range(2):
        session.user(f"prompt {n}")
        (line,) = session.assistant(f"answer {n}", stop="end_turn")
        run.line("assistant", uuid=line["uuid"], message=line["message"])
        run.result(f"answer {n}", cost=0.1 * (n + 1))

    for talk in (conversation(run, session=session), conversation(session, run=run)):
        shown = [talk.text(item) for item in talk.thread() if isinstance(item, chorus.Message | chorus.Turn)]
        assert shown == ["prompt 0", "answer 0", "answer 0", "prompt 1", "answer 1", "answer 1"]


def test_a_result_alone_ends_the_conversation() -> None:
    """If the output is one turn result without a time, the turn comes after everything in the session file."""
    session, run = Session(), Run()
    session.user("go")
    session.assistant(tool_use("Bash", id="t1"))
    session.tool_result("t1", "ok")
    run.result(None, subtype="error_max_turns", errors=["too many"])

    for talk in (conversation(run, session=session), conversation(session, run=run)):
        assert isinstance(talk.thread()[-1], chorus.Turn)
        assert talk.status.value == "failed"


def test_hook_failures_are_shown() -> None:
    """A hook is shown only if it failed or stopped the agent."""
    session, run = Session(), Run()
    session.system("stop_hook_summary", hookCount=1, hookErrors=[], preventedContinuation=False)
    session.system("stop_hook_summary", hookCount=1, hookErrors=["lint failed"], preventedContinuation=False)
    run.system("hook_response", hook_name="PostToolUse", exit_code=0, outcome="success")
    run.system("hook_response", hook_name="PostToolUse", exit_code=1, stderr="boom", outcome="error")

    shown = [notice.text for notice in conversation(session, run=run).notices if not notice.is_internal]

    assert shown == ["boom", '["lint failed"]']


@pytest.mark.parametrize(
    ("stop", "status"),
    [
        (None, "done"),
        ("end_turn", "done"),
        ("stop_sequence", "done"),
        ("max_tokens", "done"),
        ("refusal", "done"),
        ("model_context_window_exceeded", "done"),
        ("tool_use", "thinking"),
        ("pause_turn", "thinking"),
    ],
)
def test_text_ends_a_turn_unless_its_stop_reason_says_more_follows(stop: str | None, status: str) -> None:
    """Text without a stop reason, as old clients write it, ends a turn, and thinking does not."""
    session = Session()
    session.user("go")
    session.assistant("words", stop=stop)
    ended = conversation(session).status.value
    session.assistant(thinking("hm"), stop=stop)

    assert (ended, conversation(session).status.value) == (status, "thinking")


def test_only_people_and_notifications_set_an_agent_to_work() -> None:
    """Notes and commands do not change the status, and a notification does."""
    session = Session()
    session.user("go")
    session.assistant("done", stop="end_turn")
    session.user("<command-name>/cost</command-name>")
    session.user("a note", isMeta=True)
    seen = [conversation(session).status.value]
    session.user("<task-notification>ready</task-notification>")
    seen.append(conversation(session).status.value)

    assert seen == ["done", "thinking"]


def test_the_newest_open_call_is_what_is_done() -> None:
    """Of parallel calls, the newest call without a result gives the status."""
    session = Session()
    session.user("go")
    session.assistant(tool_use("Read", id="t1"), tool_use("Bash", id="t2"), stop="tool_use")
    seen = [conversation(session).status.value]
    session.tool_result("t2", "ok")
    seen.append(conversation(session).status.value)

    assert seen == ["running", "reading"]


def test_calls_left_open_by_a_turn_are_not_being_done() -> None:
    """After the end of a turn, a call without a result does not give the status."""
    run = Run()
    run.init()
    run.assistant(tool_use("Bash", id="t1"))
    run.result("Done.")

    assert conversation(run).status.value == "done"


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"terminal_reason": "aborted_tools", "is_error": True}, "interrupted"),
        ({"subtype": "error_max_turns", "is_error": False}, "failed"),
        ({}, "done"),
    ],
)
def test_how_the_last_turn_ended_is_the_status(fields: dict[str, Any], status: str) -> None:
    """An aborted turn is interrupted, and any error is failed; later work changes the status again."""
    run = Run()
    run.init()
    run.assistant("hi")
    run.result("x", **fields)
    ended = conversation(run).status.value
    run.assistant(tool_use("Bash", id="t1"))

    assert (ended, conversation(run).status.value) == (status, "running")


def test_a_failed_turn_hides_its_open_calls() -> None:
    """After an interruption, an open call is not shown as running."""
    session = Session()
    session.user("go")
    session.assistant(tool_use("Bash", id="t1"), stop="tool_use")
    session.user("[Request interrupted by user for tool use]")

    assert conversation(session).status.value == "interrupted"


@pytest.mark.parametrize(
    ("state", "status"), [("running", "thinking"), ("requires_action", "waiting for permission"), ("idle", "done")]
)
def test_the_clients_own_word_on_its_state(state: str, status: str) -> None:
    """The states running and waiting from the client count, but for idle the end of the turn counts more."""
    run = Run()
    run.assistant("Done.")
    run.result("Done.")
    run.system("session_state_changed", state=state)

    assert conversation(run).status.value == status


def test_a_message_that_begins_to_stream_is_thought_about() -> None:
    """The first stream event of a message sets the status to thinking."""
    run = Run()
    run.assistant("Done.")
    run.result("Done.")
    run.streamed("He")

    assert conversation(run).status.value == "thinking"


def test_flat_events_tell_the_status() -> None:
    """Text and results of a flat stream give the status thinking, and the whole answer gives done."""
    flat = Flat()
    flat.start("s")
    flat.text("Hel")
    seen = [conversation(flat).status.value]
    flat.tool_use("t1", "Read")
    seen.append(conversation(flat).status.value)
    flat.tool_result("t1", "x")
    seen.append(conversation(flat).status.value)
    flat.text("lo")
    flat.assistant("lo")
    seen.append(conversation(flat).status.value)

    assert seen == ["thinking", "reading", "thinking", "done"]


def test_a_turn_duration_is_a_turn_of_the_interactive_client() -> None:
    """A record with the duration of a turn is a turn of the interactive client, and its copy is no second turn."""
    session, run = Session(), Run()
    line = session.system("turn_duration", durationMs=5)
    run.line("system", subtype="turn_duration", durationMs=5)["uuid"] = line["uuid"]

    talk = conversation(session, run=run)

    assert [(turn.duration_ms, turn.ended_at) for turn in talk.turns] == [(5, line["timestamp"])]
    assert [turn for turn in talk.thread() if isinstance(turn, chorus.Turn)] == talk.turns


def test_a_result_reported_twice_is_one_turn() -> None:
    """A turn result that two streams repeat is one turn with its time, and its tokens count once."""
    run, copy = Run(), Run()
    run.init()
    copy.add(run.result("Done.", timestamp="2026-01-05T09:00:00.000Z"))

    talk = conversation(run, second=copy)

    assert [turn.ended_at for turn in talk.turns] == ["2026-01-05T09:00:00.000Z"]
    assert talk.session.turn_tokens == talk.turns[0].tokens


def test_a_turn_after_a_prompt_stands_after_the_prompt() -> None:
    """A turn that failed before any answer comes after its prompt and before the later messages."""
    session, run = Session(), Run()
    line = session.user("first")
    run.line("user", uuid=line["uuid"], message=line["message"])
    run.result(None, subtype="error_during_execution")
    session.user("second")
    session.assistant("fine", stop="end_turn")

    for talk in (conversation(run, session=session), conversation(session, run=run)):
        shown = [talk.text(item) for item in talk.thread() if isinstance(item, chorus.Message | chorus.Turn)]
        assert shown == ["first", "", "second", "fine"]
        assert talk.status.value == "done"


def test_a_turn_with_a_time_stands_at_its_time() -> None:
    """A turn with a time is placed by its time and needs no line before it."""
    session, run = Session(), Run()
    line = session.user("first")
    run.line("user", uuid=line["uuid"], message=line["message"], timestamp="2026-01-05T09:00:00.000Z")
    session.user("second")
    run.result("Done.", timestamp="2026-01-05T10:00:00.000Z")

    assert isinstance(conversation(session, run=run).thread()[-1], chorus.Turn)
    assert conversation(session, run=run).status.value == "done"


def test_hooks_that_hold_the_agent_back_are_shown() -> None:
    """A hook that stopped the agent is shown even without an error."""
    session = Session()
    session.system("stop_hook_summary", hookCount=1, hookErrors=[], preventedContinuation=True)

    assert [notice.is_internal for notice in conversation(session).notices] == [False]


def test_a_call_after_a_flat_error_is_work_again() -> None:
    """A call after a flat error sets the status to running."""
    flat = Flat()
    flat.start("s")
    flat.error("api_error", "Rate limit exceeded")
    flat.tool_use("t1", "Bash")

    assert conversation(flat).status.value == "running"


def test_a_result_sets_the_agent_to_work() -> None:
    """A result sets the status to thinking, even after text or a flat permission request."""
    session, flat = Session(), Flat()
    session.user("go")
    session.assistant(tool_use("Bash", id="t1"), "Running it.")
    session.tool_result("t1", "ok")
    flat.start("s")
    flat.tool_use("t1", "Bash")
    flat.permission_request("Allow?")
    flat.tool_result("t1", "ok")

    assert [conversation(script).status.value for script in (session, flat)] == ["thinking", "thinking"]


def test_a_turn_finds_its_line_when_the_file_was_read_in_between() -> None:
    """A turn is placed after its line, even if the file is read between the line on stdout and the turn result."""
    session, run = Session(), Run()
    (line,) = session.assistant("answer", stop="end_turn")
    run.line("assistant", uuid=line["uuid"], message=line["message"])
    run.result("answer")
    session.user("next")
    shown, ended = read("run.jsonl", bytes(run))

    (talk,) = chorus.fold([shown, *read("main.jsonl", bytes(session)), ended])

    kinds = [type(item).__name__ for item in talk.thread()]
    assert kinds == ["Message", "Turn", "Message"]


def test_how_a_turn_ended_counts_where_it_stands() -> None:
    """A turn that failed after its answer makes the conversation failed, whichever stream is read first."""
    session, run = Session(), Run()
    (line,) = session.assistant("answer", stop="end_turn")
    run.line("assistant", uuid=line["uuid"], message=line["message"])
    run.result(None, subtype="error_max_turns")

    for talk in (conversation(run, session=session), conversation(session, run=run)):
        assert talk.status.value == "failed"


def test_a_failed_start_does_not_outlive_what_follows() -> None:
    """After a turn that failed before any message, the later turns decide the status."""
    run = Run()
    run.init()
    run.result(None, subtype="error_during_execution")
    run.user("go on")
    run.assistant("fine", stop="end_turn")
    run.result("fine")

    talk = conversation(run)

    assert [turn.subtype for turn in talk.turns] == ["error_during_execution", "success"]
    assert talk.status.value == "done"


def test_a_result_in_two_streams_counts_once() -> None:
    """A turn result in two streams counts its tokens once, whichever copy is read first."""
    run = Run()
    run.init()
    run.result("done")

    for streams in (("a", "b"), ("b", "a")):
        talk = conversation(b"", **dict.fromkeys(streams, run))
        assert talk.tokens.output == 20


def test_a_question_waits_before_anything_else_happened() -> None:
    """An open request gives the status waiting for permission, even as the first record after `init`."""
    run = Run()
    run.init()
    run.ask("t1", "Bash")

    assert conversation(run).status.value == "waiting for permission"
