"""The end of turns, and what a conversation is doing."""

import pytest

import chorus
from chorus.testing.builders import Flat, Run, Session, tool_use
from tests.conversation.reading import conversation


def test_a_turn_says_what_the_client_reported() -> None:
    """Text, subtype, errors, number of turns and both durations are kept."""
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
    """The subtype alone does not tell."""
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
        ("Grep", "reading"),
        ("Edit", "editing"),
        ("Write", "editing"),
        ("Bash", "running"),
        ("mcp__x__y", "running"),
        ("AskUserQuestion", "waiting for permission"),
    ],
)
def test_an_open_call_tells_what_is_being_done(tool: str, status: str) -> None:
    """The newest call without a result is what the agent is at."""
    session = Session()
    session.user("go")
    session.assistant(tool_use(tool, id="t1"), stop="tool_use")

    assert conversation(session).status.value == status


def test_status_follows_the_conversation() -> None:
    """Idle before anything is asked, thinking after a prompt and a result, done after the answer."""
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
    """A killed client leaves calls without results; the next prompt starts afresh."""
    session = Session()
    session.user("go")
    session.assistant(tool_use("Bash", id="t1"))
    session.user("still there?")

    assert conversation(session).status.value == "thinking"


def test_a_flat_permission_request_waits_and_decides_nothing() -> None:
    """Text has no authority: it is shown as waiting, and makes no request that could be answered."""
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
    """An error event is shown with its type and message."""
    flat = Flat()
    flat.start("s")
    flat.error("api_error", "Rate limit exceeded")

    talk = conversation(flat)

    assert talk.status.value == "failed"
    assert talk.notices[-1].text == "api_error: Rate limit exceeded"


def test_the_turns_of_a_stream_without_times_stand_after_their_line() -> None:
    """Old clients put no time on stdout: a turn stands where the line before it stands in the file."""
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
    """The output format `json` is one result without a time: it stands after all that the file holds."""
    session, run = Session(), Run()
    session.user("go")
    session.assistant(tool_use("Bash", id="t1"))
    session.tool_result("t1", "ok")
    run.result(None, subtype="error_max_turns", errors=["too many"])

    for talk in (conversation(run, session=session), conversation(session, run=run)):
        assert isinstance(talk.thread()[-1], chorus.Turn)
        assert talk.status.value == "failed"


def test_hook_failures_are_shown() -> None:
    """Hooks run unseen, unless one fails or holds the agent back."""
    session, run = Session(), Run()
    session.system("stop_hook_summary", hookCount=1, hookErrors=[], preventedContinuation=False)
    session.system("stop_hook_summary", hookCount=1, hookErrors=["lint failed"], preventedContinuation=False)
    run.system("hook_response", hook_name="PostToolUse", exit_code=0, outcome="success")
    run.system("hook_response", hook_name="PostToolUse", exit_code=1, stderr="boom", outcome="error")

    shown = [notice.text for notice in conversation(session, run=run).notices if not notice.is_internal]

    assert shown == ["boom", '["lint failed"]']
