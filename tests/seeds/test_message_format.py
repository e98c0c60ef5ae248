"""Tests of seed document 0, the stream-json message format: each example is read and folded."""

from typing import Any

from chorus.core.conversation.items import Author, CallState, Status, Tokens
from chorus.core.records.record import Dialect
from chorus.library import files
from chorus.testing.builders import encode_all, image, text, thinking, tool_result, tool_use
from chorus.testing.reading import records, unread

SESSION = "abc123-def456-7890"
MODEL = "claude-sonnet-4-20250514"
INIT = {
    "type": "system",
    "subtype": "init",
    "session_id": SESSION,
    "tools": ["Read", "Write", "Edit", "Bash", "Glob", "Grep"],
    "mcp_servers": [],
    "model": MODEL,
    "cwd": "/path/to/workspace",
    "permissionMode": "default",
}
ASSISTANT = {
    "type": "assistant",
    "message": {
        "id": "msg_01ABC",
        "type": "message",
        "role": "assistant",
        "content": [
            text("I'll help you with that. Let me first read the file..."),
            tool_use("Read", {"file_path": "/path/to/file.ts"}, id="toolu_01XYZ"),
        ],
        "model": MODEL,
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 1234,
            "output_tokens": 567,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        },
    },
}
TOOL_RESULT = {
    "type": "user",
    "message": {"role": "user", "content": [tool_result("toolu_01XYZ", "File contents here...", is_error=False)]},
}
USER = {"type": "user", "message": {"role": "user", "content": [text("User's message here")]}}
RESULT = {
    "type": "result",
    "result": "Successfully completed the task...",
    "subtype": "success",
    "session_id": SESSION,
    "total_cost_usd": 0.0234,
    "duration_ms": 45678,
    "duration_api_ms": 12345,
    "num_turns": 5,
    "is_error": False,
}
STORED = {
    "uuid": "unique-message-uuid",
    "parentUuid": "parent-message-uuid",
    "timestamp": "2025-01-15T10:30:00.000Z",
    "type": "assistant",
    "message": ASSISTANT["message"],
    "costUSD": 0.0123,
    "durationMs": 2345,
}


def one(*lines) -> Any:
    data = encode_all(lines)
    assert not unread(data)
    (conversation,) = files.fold(files.read(data))
    return conversation


def test_the_lifecycle_of_a_session():
    """Init, prompt, answer with a call, result and end become one conversation with the id of the session."""
    talk = one(INIT, USER, ASSISTANT, TOOL_RESULT, RESULT)
    prompt, answer = talk.messages
    (call,), (turn,) = talk.calls, talk.turns

    assert (talk.id, talk.title, talk.status) == (SESSION, "User's message here", Status.DONE)
    assert (talk.session.cwd, talk.session.permission_mode) == ("/path/to/workspace", "default")
    assert talk.session.tools == ("Read", "Write", "Edit", "Bash", "Glob", "Grep")
    assert (talk.session.models, talk.session.mcp_servers) == ((MODEL,), ())
    assert (prompt.author, talk.text(prompt)) == (Author.HUMAN, "User's message here")
    assert [part.block.type for part in talk.blocks(answer)] == ["text", "tool_use"]
    assert (answer.message_id, answer.stop_reason, answer.model) == ("msg_01ABC", "tool_use", MODEL)
    assert (call.name, call.state) == ("Read", CallState.DONE)
    assert bytes(talk.result(call).content) == b'"File contents here..."'
    assert talk.tokens == Tokens(input=1234, output=567)
    assert (turn.num_turns, turn.duration_ms, turn.duration_api_ms, turn.is_error) == (5, 45678, 12345, False)
    assert talk.text(turn) == "Successfully completed the task..."
    assert talk.reported_cost_usd == 0.0234


def test_a_call_without_its_result_is_pending():
    """Between a call and its result, the call is pending and the status shows that a file is read."""
    talk = one(INIT, USER, ASSISTANT)

    assert [call.state for call in talk.calls] == [CallState.PENDING]
    assert talk.status is Status.READING


def test_a_failed_result_fails_its_call():
    """`is_error` in a result makes the call a failed one."""
    failed = {
        "type": "user",
        "message": {"role": "user", "content": [tool_result("toolu_01XYZ", "gone", is_error=True)]},
    }

    assert [call.state for call in one(INIT, ASSISTANT, failed).calls] == [CallState.FAILED]


def test_every_content_block():
    """Text, thinking, tool use and image blocks keep their content."""
    thoughts = {
        key: field
        for key, field in thinking("Let me analyze this problem step by step...").items()
        if key != "signature"
    }
    answer = {
        **ASSISTANT,
        "message": {**ASSISTANT["message"], "content": [thoughts, text("The actual text content...")]},
    }
    question = {"type": "user", "message": {"role": "user", "content": [image("aGVsbG8="), text("What is this?")]}}
    talk = one(INIT, question, answer)
    asked, said = talk.messages

    assert [part.block.type for part in talk.blocks(asked)] == ["image", "text"]
    assert talk.blocks(asked)[0].block.source.data == "aGVsbG8="
    assert talk.blocks(said)[0].block.thinking == "Let me analyze this problem step by step..."
    assert talk.text(said) == "The actual text content..."


def test_the_native_storage_format():
    """A stored line keeps its cost and duration, although it names no session."""
    (record,) = records(encode_all([STORED]))
    (message,) = one(STORED).messages

    assert record.dialect is Dialect.SESSION
    assert (message.uuid, message.cost_usd, message.duration_ms) == ("unique-message-uuid", 0.0123, 2345)
    assert message.started_at == "2025-01-15T10:30:00.000Z"
