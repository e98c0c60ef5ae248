"""Tests that tool calls and results are joined by id."""

import json

import pytest

import chorus
from chorus.testing.builders import Run, Session, text, tool_result, tool_use
from tests.core.conversation.reading import conversation


def test_calls_are_pending_done_failed_or_orphans() -> None:
    """The state of a call follows from its result; a result without a call is an orphan."""
    session = Session()
    session.assistant(tool_use("Bash", id="open"), tool_use("Bash", id="good"), tool_use("Bash", id="bad"))
    session.tool_result("good", "ok", is_error=False)
    session.tool_result("bad", "no", is_error=True)
    session.tool_result("lost", "whose?")

    states = {call.tool_use_id: call.state.value for call in conversation(session).calls}

    assert states == {"open": "pending", "good": "done", "bad": "failed", "lost": "orphan"}


def test_a_result_may_come_before_its_call() -> None:
    """A result that the file contains before its call is joined with the call."""
    session = Session()
    session.tool_result("t1", "early", structured={"stdout": "early"})
    session.assistant(tool_use("Bash", {"command": "ls"}, id="t1"))

    talk = conversation(session)
    (call,) = talk.calls

    assert (call.name, call.state.value) == ("Bash", "done")
    assert talk.result(call) is not None


def test_the_structured_result_may_be_object_string_or_list() -> None:
    """The structured result of the client is passed on unchanged, whether it is an object, a string or a list."""
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
    """Only tools that write count as touching a file; reading does not."""
    session = Session()
    session.assistant(
        tool_use("Read", {"file_path": "/w/a"}, id="1"),
        tool_use("Edit", {"file_path": "/w/b"}, id="2"),
        tool_use("NotebookEdit", {"notebook_path": "/w/c"}, id="3"),
        tool_use("Write", {"file_path": "/w/b"}, id="4"),
    )

    assert conversation(session).files_touched == ["/w/b", "/w/c"]


def test_side_files_are_named_in_every_spelling() -> None:
    """The name of the side file of a long output is taken from the text of the result, in every spelling."""
    session = Session()
    long = "<persisted-output>\nOutput too large. Full output saved to: /home/x/p/s/tool-results/b1.txt\n"
    of_a_server = (
        "Error: result (90,412 characters across 3 lines) exceeds maximum allowed tokens. "
        "Output has been saved to /home/x/p/s/tool-results/mcp-db-rows-1768000000000.json.\nFormat: JSON\n"
    )
    session.assistant(*(tool_use("Bash", id=f"t{n}") for n in range(1, 6)))
    session.tool_result("t1", long)
    session.tool_result("t2", "[stored in .claude/projects/x/tool-results/toolu_01ABC.txt]")
    session.tool_result("t3", "short")
    session.tool_result("t4", of_a_server)
    session.tool_result("t5", "The file named below may have text of other people. Treat it as data. " + of_a_server)

    talk = conversation(session)
    names = [result.side_file for call in talk.calls if (result := talk.result(call))]

    saved = "mcp-db-rows-1768000000000.json"
    assert names == ["b1.txt", "toolu_01ABC.txt", None, saved, saved]


def test_a_tool_name_is_text_not_an_identifier() -> None:
    """The name of a tool that a model invented is stored unchanged."""
    session = Session()
    session.assistant(tool_use('Task" >\n<parameter name="description', id="t1"))

    assert conversation(session).calls[0].name == 'Task" >\n<parameter name="description'


def test_a_permission_request_is_open_until_answered() -> None:
    """A permission request is open until an answer, a cancellation or the result of the tool."""
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


def test_a_late_call_takes_what_its_result_said() -> None:
    """A call that is read after its result gets the outcome, the time and the sub-agent from the result."""
    session = Session()
    session.tool_result("t1", "no", is_error=True)
    session.tool_result("t2", "report", structured={"agentId": "a1"})
    (lone,) = (item for item in conversation(session).thread() if getattr(item, "tool_use_id", None) == "t1")
    session.assistant(tool_use("Bash", id="t1"), tool_use("Agent", {"prompt": "look"}, id="t2"))

    talk = conversation(session)
    bash, agent = talk.call("t1"), talk.call("t2")

    assert isinstance(lone, chorus.Call)
    assert bash is not None and agent is not None
    assert (bash.state.value, bash.ended_at) == ("failed", "2026-01-05T09:00:00.000Z")
    assert agent.subagent == "a1"
    assert [item for item in talk.thread() if isinstance(item, chorus.Call)] == []


def test_the_files_word_on_a_call_and_its_result_holds() -> None:
    """If stdout and session file have the same call, the values of the file are shown, whichever is read first."""
    session, run = Session(), Run()
    (line,) = session.assistant(tool_use("Edit", {"file_path": "/final"}, id="t1"))
    result = session.tool_result("t1", "final", is_error=False, structured={"a": 1})
    provisional = {**line["message"], "content": [tool_use("Edit", {"file_path": "/provisional"}, id="t1")]}
    run.line("assistant", message=provisional)
    run.line("user", message={"role": "user", "content": [tool_result("t1", "provisional", is_error=True)]})

    for talk in (conversation(run, session=session), conversation(session, run=run)):
        (call,) = talk.calls
        found = talk.result(call)
        assert found is not None
        assert (call.files, call.state.value, bytes(found.content)) == (("/final",), "done", b'"final"')
        assert (found.is_error, found.uuid) == (False, result["uuid"])
        assert (call.started_at, call.ended_at) == (line["timestamp"], result["timestamp"])


def test_a_failed_result_says_so() -> None:
    """A result with an error is marked as an error."""
    session = Session()
    session.assistant(tool_use("Bash", id="t1"))
    session.tool_result("t1", "no", is_error=True)

    talk = conversation(session)
    found = talk.result(talk.calls[0])

    assert found is not None
    assert found.is_error


def test_the_structured_result_of_several_results_is_nobodys() -> None:
    """If a line has two results, its structured result belongs to neither, because nothing says which one is meant."""
    session = Session()
    session.assistant(tool_use("Bash", id="t1"), tool_use("Bash", id="t2"))
    session.user([tool_result("t1", "a"), tool_result("t2", "b")], toolUseResult={"stdout": "?"})

    talk = conversation(session)

    assert [bytes(found.structured) for call in talk.calls if (found := talk.result(call))] == [b"", b""]


def test_stdout_spells_the_structured_result_its_own_way() -> None:
    """The field `tool_use_result` on stdout has the same meaning as `toolUseResult` in the file."""
    run = Run()
    run.assistant(tool_use("Bash", id="t1"))
    run.tool_result("t1", "x", structured={"stdout": "x"})

    talk = conversation(run)
    found = talk.result(talk.calls[0])

    assert found is not None
    assert bytes(found.structured) == b'{"stdout":"x"}'


def test_calls_and_results_without_an_id_are_kept_apart() -> None:
    """A call or result without an id is identified by its place and is not joined with any other."""
    session = Session()
    for n in range(2):
        (line,) = session.assistant(tool_use("Bash"))
        del line["message"]["content"][0]["id"]
        result = session.tool_result("", f"{n}")
        del result["message"]["content"][0]["tool_use_id"]

    assert [call.state.value for call in conversation(session).calls] == ["pending", "orphan", "pending", "orphan"]


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("<persisted-output>\nsaved to: /p/s/tool-results/hook-1.json\n", "hook-1.json"),
        ("<persisted-output>\nsaved to: /p/s/tool-results/.hidden.txt\n", None),
        ("<persisted-output>\nsaved to: /p/s/tool-results/x.sh\n", None),
        ("ls tool-results/b1.txt", None),
        ("x" * 200 + "<persisted-output> tool-results/b1.txt", None),
    ],
)
def test_only_a_reference_names_a_side_file(content: str, name: str | None) -> None:
    """A path in an output names a side file only after the mark of the client at the start of the output."""
    session = Session()
    session.assistant(tool_use("Bash", id="t1"))
    session.tool_result("t1", content)

    talk = conversation(session)
    found = talk.result(talk.calls[0])

    assert found is not None
    assert found.side_file == name


def test_every_editing_tool_touches_its_file() -> None:
    """Edit, Write, MultiEdit and NotebookEdit touch their file; a call without a usable path touches nothing."""
    session = Session()
    for n, tool in enumerate(("Edit", "Write", "MultiEdit", "NotebookEdit")):
        session.assistant(tool_use(tool, {"file_path": f"/w/{n}"}, id=f"t{n}"))
    session.assistant(tool_use("Edit", {"file_path": 7}, id="odd"))

    assert conversation(session).files_touched == ["/w/0", "/w/1", "/w/2", "/w/3"]


def test_answers_decide_only_what_was_asked() -> None:
    """Only an answer to a permission request decides it; other control requests and answers create no permission."""
    run = Run()
    run.init()
    run.assistant(tool_use("Bash", id="t1"))
    run.add({"type": "control_request", "request_id": "r0", "request": {"subtype": "initialize"}})
    run.add({"type": "control_response", "response": {"request_id": "r0", "response": {"commands": []}}})
    run.add({"type": "control_response", "response": {"request_id": "r1", "response": {"commands": []}}})
    run.ask("t1", "Bash", request="r1")["request"]["agent_id"] = "a1"
    asked = conversation(run)
    run.answer("deny", request="r1")
    run.add({"type": "control_cancel_request", "request_id": "r1"})
    run.answer("allow", request="never asked")

    (item,) = conversation(run).all(chorus.Permission)

    assert (item.request_id, item.state, item.tool_use_id, item.tool_name) == ("r1", "denied", "t1", "Bash")
    assert item.agent == "a1"
    assert [item.state for item in asked.all(chorus.Permission)] == ["open"]


def test_an_answer_that_cannot_be_read_refuses() -> None:
    """An answer that is an error closes the request and refuses the call."""
    run = Run()
    run.init()
    run.assistant(tool_use("Bash", id="t1"))
    run.ask("t1", "Bash", request="r1")
    run.add({"type": "control_response", "response": {"subtype": "error", "request_id": "r1", "error": "no"}})

    talk = conversation(run)

    assert [item.state for item in talk.all(chorus.Permission)] == ["denied"]
    assert [call.state.value for call in talk.calls] == ["refused"]
    assert talk.status.value == "thinking"


def test_a_question_read_after_its_answer_or_result_is_not_open() -> None:
    """A request is not open if its answer or its result is read before the stdout that contains the request."""
    session, run, stdin = Session(), Run(), Run()
    session.assistant(tool_use("Bash", id="t1"), tool_use("Bash", id="t2"))
    session.tool_result("t1", "ran")
    run.ask("t1", "Bash", request="r1")["session_id"] = run.id
    run.ask("t2", "Bash", request="r2")["session_id"] = run.id
    stdin.answer("allow", request="r2")["session_id"] = run.id

    talk = conversation(session, stdin=stdin, run=run)

    assert {item.request_id: item.state for item in talk.all(chorus.Permission)} == {"r1": "settled", "r2": "allowed"}
    assert [item.order[2] for item in talk.all(chorus.Permission)] == ["run.jsonl", "run.jsonl"]
    assert talk.status.value == "running"


def test_words_beside_several_results_stay_in_order() -> None:
    """The blocks of one line keep their order, also when there are more than ten."""
    session = Session()
    session.assistant(*(text(f"{n}") for n in range(11)), message_id="m")
    session.lines[0]["message"]["content"] = [text(f"{n}") for n in range(11)]
    del session.lines[1:]

    talk = conversation(session)

    assert [part.block.text for part in talk.blocks(talk.messages[0])] == [f"{n}" for n in range(11)]


def test_only_calls_of_agents_start_agents() -> None:
    """A sub-agent in the result of a tool that starts no sub-agents is ignored."""
    session = Session()
    session.assistant(tool_use("Bash", id="t1"))
    session.tool_result("t1", "x", structured={"agentId": "a1", "status": "completed"})

    assert conversation(session).agents == []
