"""Tests of seed document 1, the flat event stream: each event, and the three flows in the document."""

import json
from typing import Any

import pytest

from chorus.core.conversation.items import Author, CallState, Notice, Permission, Status
from chorus.core.records.record import Dialect
from chorus.library import files
from chorus.testing.builders import Flat, encode, encode_all, text, tool_use, wrap
from chorus.testing.reading import records, unread

START = {"type": "session_start", "session_id": "abc123"}
USER = {"type": "user", "message": {"role": "user", "content": [text("Please update the README")]}}
EDIT = {
    "type": "tool_use",
    "id": "toolu_abc123",
    "toolName": "Edit",
    "toolInput": {
        "file_path": "/path/to/file.py",
        "old_string": "def old():\n    pass",
        "new_string": "def new():\n    return True",
    },
}
BASH = {
    "type": "tool_use",
    "id": "toolu_def456",
    "toolName": "Bash",
    "toolInput": {"command": "git status", "description": "Check git status"},
}
EDITED = {
    "type": "tool_result",
    "toolUseId": "toolu_abc123",
    "isError": False,
    "content": "File updated successfully",
}
FAILED = {"type": "tool_result", "toolUseId": "toolu_def456", "isError": True, "content": "Error: File not found"}
TEXT = {"type": "text", "text": "I'll help you update the README file."}
ASSISTANT = {
    "type": "assistant",
    "message": {
        "role": "assistant",
        "content": [
            text("I'll update the README for you."),
            tool_use(
                "Edit",
                {"file_path": "README.md", "old_string": "# Old Title", "new_string": "# New Title"},
                id="toolu_123",
            ),
        ],
    },
}
RESULT = {
    "type": "result",
    "sessionId": "abc123",
    "result": {"stopReason": "end_turn", "usage": {"inputTokens": 1523, "outputTokens": 842}},
}
PERMISSION = {"type": "permission_request", "prompt": "Allow Claude to execute 'rm -rf /tmp/build'?"}
ERROR = {"type": "error", "error": {"type": "api_error", "message": "Rate limit exceeded"}}
SYSTEM = {"type": "system", "note": "Structure varies"}
EXAMPLES = [START, USER, EDIT, BASH, EDITED, FAILED, TEXT, ASSISTANT, RESULT, PERMISSION, ERROR, SYSTEM]


def one(*lines) -> Any:
    data = encode_all(lines)
    assert not unread(data)
    (conversation,) = files.fold(files.read(data))
    return conversation


@pytest.mark.parametrize("line", EXAMPLES, ids=lambda line: line["type"])
def test_each_event_is_read(line):
    """Every example becomes a record of its type and is still read after wrapping.

    It has the flat dialect, unless another dialect shares the type.
    """
    (record,) = records(encode(line))

    assert record.type == line["type"]
    assert record.dialect is (Dialect.STREAM_JSON if line is USER else Dialect.FLAT)
    assert [json.loads(rebuilt.json) for rebuilt in records(wrap(encode(line), 20))] == [line]


def test_a_typical_conversation():
    """Fragments and the whole answer that repeats them are one message, which is shown once."""
    events = Flat()
    events.start("abc123")
    events.user("Please update the README")
    events.text("I'll help you ")
    events.text("update the README file.")
    events.assistant("I'll help you update the README file.")
    events.result("abc123", given=1523, said=842)
    talk = one(*events.lines)
    prompt, answer = talk.messages
    (turn,) = talk.turns

    assert (talk.id, talk.title, talk.status) == ("abc123", "Please update the README", Status.DONE)
    assert (prompt.author, answer.author) == (Author.HUMAN, Author.MODEL)
    assert [part.block.text for part in talk.blocks(answer)] == ["I'll help you update the README file."]
    assert (talk.is_per_turn, talk.tokens.input, talk.tokens.output) == (True, 1523, 842)
    assert turn.stop_reason == "end_turn"


def test_a_conversation_while_it_streams():
    """Before the whole answer arrives, the fragments are one growing text."""
    talk = one(START, USER, TEXT, {"type": "text", "text": " And more."})

    assert talk.text(talk.messages[-1]) == "I'll help you update the README file. And more."
    assert talk.status is Status.THINKING


@pytest.mark.parametrize("snake_case", [False, True])
def test_the_use_of_a_tool(snake_case):
    """A call and its result are paired by id, in both spellings of the fields.

    The text after them and the whole answer are shown once.
    """
    events = Flat(snake_case=snake_case)
    events.start("abc123")
    events.user("Update README")
    events.tool_use("toolu_abc123", "Edit", EDIT["toolInput"])
    events.tool_result("toolu_abc123", "File updated successfully")
    events.text("The README is updated.")
    events.assistant("The README is updated.")
    events.result("abc123")
    talk = one(*events.lines)
    (call,) = talk.calls
    shown = [part.block.type for message in talk.messages for part in talk.blocks(message)]

    assert (call.name, call.state, call.files) == ("Edit", CallState.DONE, ("/path/to/file.py",))
    assert bytes(talk.result(call).content) == b'"File updated successfully"'
    assert shown == ["text", "tool_use", "text"]
    assert talk.files_touched == ["/path/to/file.py"]
    assert talk.status is Status.DONE


def test_a_request_for_permission():
    """A permission request is only shown: the conversation waits for permission until the tool runs."""
    events = Flat()
    events.start("abc123")
    events.user("Delete all test files")
    events.permission_request("Allow rm -rf tests/?")
    asked = one(*events.lines)
    (notice,) = [notice for notice in asked.notices if not notice.is_internal]

    assert asked.status is Status.WAITING
    assert asked.status.value == "waiting for permission"
    assert (notice.type, notice.text) == ("permission_request", "Allow rm -rf tests/?")
    assert not asked.all(Permission)

    events.tool_use("toolu_1", "Bash", {"command": "rm -rf tests/"})
    assert one(*events.lines).status is Status.RUNNING
    events.tool_result("toolu_1", "", is_error=False)
    events.result("abc123")
    assert one(*events.lines).status is Status.DONE


def test_the_whole_answer_without_fragments():
    """An answer without fragments before it is shown with its text and its call."""
    talk = one(START, USER, ASSISTANT)
    (call,) = talk.calls

    assert [part.block.type for part in talk.blocks(talk.messages[-1])] == ["text", "tool_use"]
    assert (call.tool_use_id, call.state, talk.status) == ("toolu_123", CallState.PENDING, Status.EDITING)


def test_a_failed_tool():
    """A result that is an error makes its call a failed one."""
    talk = one(START, BASH, FAILED)

    assert [(call.name, call.state) for call in talk.calls] == [("Bash", CallState.FAILED)]
    assert talk.result(talk.calls[0]).is_error


def test_an_error():
    """An error is shown with its type and message, and the conversation has the status failed."""
    talk = one(START, USER, ERROR)
    (notice,) = [item for item in talk.thread() if isinstance(item, Notice)]

    assert notice.text == "api_error: Rate limit exceeded"
    assert talk.status is Status.FAILED


def test_a_system_event_is_kept():
    """Free-form system events are kept and shown as notices."""
    talk = one(START, SYSTEM)

    assert [notice.type for notice in talk.notices] == ["session_start", "system"]


def test_a_result_that_is_a_string():
    """The short form of a result, a string, is the text of the turn."""
    talk = one(START, USER, {"type": "result", "result": "All done"})

    assert [talk.text(turn) for turn in talk.turns] == ["All done"]


def test_the_session_id_of_the_result_is_the_fallback():
    """Without a session start, the id in the result names the conversation, which includes all earlier records."""
    talk = one(USER, TEXT, RESULT)

    assert (talk.id, len(talk.messages)) == ("abc123", 2)
