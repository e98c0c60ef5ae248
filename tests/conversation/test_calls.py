"""Tool calls and results, joined by id."""

import json

from chorus.testing.builders import Run, Session, tool_result, tool_use
from tests.conversation.reading import conversation


def test_calls_are_pending_done_failed_or_orphans() -> None:
    """The state of a call follows from its result; a result without a call is kept as an orphan."""
    session = Session()
    session.assistant(tool_use("Bash", id="open"), tool_use("Bash", id="good"), tool_use("Bash", id="bad"))
    session.tool_result("good", "ok", is_error=False)
    session.tool_result("bad", "no", is_error=True)
    session.tool_result("lost", "whose?")

    states = {call.tool_use_id: call.state.value for call in conversation(session).calls}

    assert states == {"open": "pending", "good": "done", "bad": "failed", "lost": "orphan"}


def test_a_result_may_come_before_its_call() -> None:
    """Files hold results written before their call; both orders end alike."""
    session = Session()
    session.tool_result("t1", "early", structured={"stdout": "early"})
    session.assistant(tool_use("Bash", {"command": "ls"}, id="t1"))

    talk = conversation(session)
    (call,) = talk.calls

    assert (call.name, call.state.value) == ("Bash", "done")
    assert talk.result(call) is not None


def test_the_structured_result_may_be_object_string_or_list() -> None:
    """What the client keeps beside the model's view is handed on as it is."""
    session = Session()
    for n, structured in enumerate(({"stdout": "x"}, "Error: no", [{"type": "text", "text": "mcp"}])):
        session.assistant(tool_use("Bash", id=f"t{n}"))
        session.tool_result(f"t{n}", "x", structured=structured)

    talk = conversation(session)
    results = [talk.result(call) for call in talk.calls]

    assert [json.loads(bytes(result.structured)) for result in results if result] == [
        {"stdout": "x"},
        "Error: no",
        [{"type": "text", "text": "mcp"}],
    ]


def test_files_touched_are_those_that_editing_tools_write() -> None:
    """Reading a file does not touch it."""
    session = Session()
    session.assistant(
        tool_use("Read", {"file_path": "/w/a"}, id="1"),
        tool_use("Edit", {"file_path": "/w/b"}, id="2"),
        tool_use("NotebookEdit", {"notebook_path": "/w/c"}, id="3"),
        tool_use("Write", {"file_path": "/w/b"}, id="4"),
    )

    assert conversation(session).files_touched == ["/w/b", "/w/c"]


def test_side_files_are_named_in_both_spellings() -> None:
    """Long outputs lie in a file whose name stands in the text; only the name is taken from there."""
    session = Session()
    long = "<persisted-output>\nOutput too large. Full output saved to: /home/x/p/s/tool-results/b1.txt\n"
    session.assistant(tool_use("Bash", id="t1"), tool_use("Bash", id="t2"), tool_use("Bash", id="t3"))
    session.tool_result("t1", long)
    session.tool_result("t2", "[stored in .claude/projects/x/tool-results/toolu_01ABC.txt]")
    session.tool_result("t3", "short")

    talk = conversation(session)
    names = [result.side_file for call in talk.calls if (result := talk.result(call))]

    assert names == ["b1.txt", "toolu_01ABC.txt", None]


def test_a_tool_name_is_text_not_an_identifier() -> None:
    """Models invent names; they are kept as they are."""
    session = Session()
    session.assistant(tool_use('Task" >\n<parameter name="description', id="t1"))

    assert conversation(session).calls[0].name == 'Task" >\n<parameter name="description'


def test_a_permission_request_is_open_until_answered() -> None:
    """`can_use_tool` waits for a person; the answer, a cancellation or the tool's result ends that."""
    run = Run()
    run.init()
    run.assistant(tool_use("Bash", id="t1"), tool_use("Bash", id="t2"), tool_use("Bash", id="t3"))
    run.ask("t1", "Bash", request="r1")
    asked = conversation(run)
    run.answer("allow", request="r1")
    run.ask("t2", "Bash", request="r2")
    run.add({"type": "control_cancel_request", "request_id": "r2"})
    run.ask("t3", "Bash", request="r3")
    run.user([tool_result("t3", "ran")])
    answered = conversation(run)

    from chorus import Permission

    assert asked.status.value == "waiting for permission"
    assert [item.state for item in answered.all(Permission)] == ["allowed", "cancelled", "settled"]
    assert answered.status.value != "waiting for permission"
