"""Tests how the decision about a tool call is read from the records."""

from typing import Any

import pytest

from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.items import Call, CallState
from chorus.core.conversation.todos import plans
from chorus.core.views.rows import MessageRow, ToolCall
from chorus.core.views.transcript import rows
from chorus.find.index.marks import marks_of
from chorus.find.index.rows import Entry
from chorus.testing.builders import Run, Session, blocks, tool_use
from tests.core.conversation.reading import conversation
from tests.core.conversation.talks import REFUSAL

HOOKED = {"decision": "reject", "source": "hook"}


def _talk(words: Any, *, tool: str = "Bash", is_error: bool | None = True, **more: Any) -> Conversation:
    session = Session()
    session.user("go")
    session.assistant(tool_use(tool, {"plan": "1. Do it"} if tool == "ExitPlanMode" else {}, id="t1"))
    session.tool_result("t1", words, is_error=is_error, **more)
    return conversation(session)


def _call(talk: Conversation) -> Call:
    (call,) = talk.all(Call)
    return call


def _marks(talk: Conversation) -> set[str]:
    return {mark for mark in marks_of(Entry(_call(talk)), "work/main/c") if mark.startswith("is")}


@pytest.mark.parametrize(
    ("more", "by"),
    [
        ({"permissionDecision": {"decision": "reject", "source": "user_reject"}}, "a person"),
        ({"permissionDecision": {"decision": "reject", "source": "hook"}}, "a hook"),
        ({"permissionDecision": {"decision": "reject", "source": "config"}}, "the settings"),
        ({"permissionDecision": {"decision": "reject", "source": "never seen"}}, None),
        ({"toolDenialKind": "user-rejected"}, "a person"),
        ({"toolDenialKind": "permission-rule"}, "a rule"),
        ({"toolDenialKind": "automode-unavailable"}, "auto mode"),
        ({"toolDenialKind": "never seen"}, None),
        ({"tool_result_meta": [{"id": "t1", "non_execution_kind": "user-rejected"}]}, "a person"),
        ({"tool_result_meta": [{"id": "t1", "permission_decision": HOOKED}]}, "a hook"),
    ],
)
def test_a_recorded_denial_refuses_the_call(more: dict[str, Any], by: str | None) -> None:
    """A denial makes the call refused and not failed, in every form in which clients record it."""
    talk = _talk("no", **more)

    assert (_call(talk).state, _call(talk).decision, _call(talk).decided_by) == (CallState.REFUSED, "denied", by)
    assert _marks(talk) == {"isdenied"}


@pytest.mark.parametrize(
    "words",
    [
        REFUSAL,
        REFUSAL.split("STOP")[0] + "To tell you how to proceed, the user said:\nuse the other file",
        "The user doesn't want to take this action right now. STOP what you are doing and wait for the user.",
        "The agent proposed a plan that was rejected by the user. The user chose to stay in plan mode.",
        "Claude requested permissions to write to /w/a.txt, but you haven't granted it yet.",
        "Claude requested permissions to use Bash, but you haven't granted it yet.",
        "Permission to use Bash with command rm -rf / has been denied.",
        "Auto mode is unavailable: its safety check does not run for this session",
        "PreToolUse:Bash hook error: blocked",
    ],
)
@pytest.mark.parametrize("form", ["text", "blocks", "agent"])
def test_the_clients_words_of_refusal_are_known(words: str, form: str) -> None:
    """If a client records no decision, the refusal is recognised by the words that the client sent to the model."""
    more: dict[str, Any] = {} if form == "agent" else {"structured": f"Error: {words}"}

    talk = _talk([blocks.text(words)] if form == "blocks" else words, **more)

    assert _call(talk).state is CallState.REFUSED
    assert _marks(talk) == {"isdenied"}


@pytest.mark.parametrize(
    ("words", "more"),
    [
        (REFUSAL, {"is_error": None}),
        (REFUSAL, {"structured": {"stdout": REFUSAL}}),
        (f"Exit code 1\n{REFUSAL}", {}),
        (
            f"{REFUSAL} Correction to the text above: this call was stopped while running, not refused before it ran.",
            {},
        ),
        ("no", {"tool_result_meta": [{"id": "another", "non_execution_kind": "user-rejected"}]}),
        ("fine", {"is_error": False, "toolDenialKind": "user-rejected"}),
    ],
)
def test_what_is_no_refusal(words: str, more: dict[str, Any]) -> None:
    """Words that a tool printed, a call that ran, and a decision about another call do not make a call refused."""
    talk = _talk(words, **more)

    assert _call(talk).state in (CallState.DONE, CallState.FAILED)
    assert "isdenied" not in _marks(talk)


@pytest.mark.parametrize(
    ("source", "by"), [("user_temporary", "a person"), ("user_permanent", "a person"), ("config", "the settings")]
)
@pytest.mark.parametrize("is_error", [True, False])
def test_a_recorded_approval_is_found(source: str, by: str, is_error: bool) -> None:
    """An approved call is marked as approved, and it may still fail."""
    talk = _talk("ran", is_error=is_error, permissionDecision={"decision": "accept", "source": source})

    assert _call(talk).state is (CallState.FAILED if is_error else CallState.DONE)
    assert _call(talk).decided_by == by
    assert _marks(talk) == {"isapproved", *(["iserror"] if is_error else [])}


@pytest.mark.parametrize("way", ["control", "permission_denied", "permission_denials"])
@pytest.mark.parametrize("with_result", [True, False])
def test_denials_beside_the_result_refuse_the_call(way: str, with_result: bool) -> None:
    """A denial on the control channel or in a list of the client refuses the call, with or without a result."""
    run = Run()
    run.init()
    run.assistant(tool_use("Bash", {"command": "touch a"}, id="t1"))
    if way == "control":
        run.ask("t1", "Bash", request="r1")
        run.answer("deny", request="r1", message="not now")
    elif way == "permission_denied":
        run.system("permission_denied", tool_name="Bash", tool_use_id="t1", message="not now")
    if with_result:
        run.tool_result("t1", "not now", is_error=True)
    if way == "permission_denials":
        run.result("Done.", permission_denials=[{"tool_name": "Bash", "tool_use_id": "t1"}])

    assert _call(conversation(run)).state is CallState.REFUSED


def test_a_call_that_ran_was_not_refused_by_an_answer_that_came_too_late() -> None:
    """A denial that comes after the result of a call does not change that the call ran."""
    run = Run()
    run.assistant(tool_use("Bash", {}, id="t1"))
    run.ask("t1", "Bash", request="r1")
    run.tool_result("t1", "ran", is_error=False)
    run.answer("deny", request="r1")

    assert _call(conversation(run)).state is CallState.DONE


def test_a_rejected_plan_is_no_error() -> None:
    """A rejected plan is shown as rejected; no block is marked as an error, and the call does not count as failed."""
    talk = _talk(REFUSAL, tool="ExitPlanMode")
    shown = [piece for row in rows(talk) if isinstance(row, MessageRow) for piece in row.pieces]
    (call,) = [piece for piece in shown if isinstance(piece, ToolCall)]

    assert [plan.state for plan in plans(talk)] == ["rejected"]
    assert (call.state, call.decided_by) == ("refused", "a person")
    assert not any(getattr(block, "is_error", False) for block in call.given)
    assert _marks(talk) == {"isdenied"}
