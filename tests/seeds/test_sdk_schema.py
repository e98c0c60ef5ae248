"""Tests of seed document 4, the message schema of the SDK: typed messages, MCP servers as objects, error results."""

from typing import Any

import pytest

from chorus.core.conversation.items import McpServer, Status
from chorus.core.records.record import Dialect
from chorus.library import files
from chorus.testing.builders import encode, encode_all, text, tool_use
from chorus.testing.reading import records, unread

INIT = {
    "type": "system",
    "subtype": "init",
    "apiKeySource": "none",
    "cwd": "/home/dev/work",
    "session_id": "sess_123",
    "tools": ["Bash", "Read"],
    "mcp_servers": [{"name": "tracker", "status": "connected"}, {"name": "maps", "status": "failed"}],
    "model": "claude-sonnet-4-20250514",
    "permissionMode": "acceptEdits",
}
USER = {"type": "user", "message": {"role": "user", "content": "Run the tests"}, "session_id": "sess_123"}
ASSISTANT = {
    "type": "assistant",
    "message": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "content": [text("Running."), tool_use("Bash", {"command": "pytest"})],
        "model": "claude-sonnet-4-20250514",
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 5, "output_tokens": 7},
    },
    "session_id": "sess_123",
}
SUCCESS = {
    "type": "result",
    "subtype": "success",
    "duration_ms": 1234.5,
    "duration_api_ms": 1000.25,
    "is_error": False,
    "num_turns": 2,
    "result": "All green.",
    "session_id": "sess_123",
    "total_cost_usd": 0.003,
}
EXAMPLE = {
    "type": "assistant",
    "message": {"content": [text("I'll run the test suite now. Running test 5 of 20...")]},
    "session_id": "sess_123",
}
TRANSLATED = [
    {
        "type": "claude_response",
        "content": "I'll run the test suite now. Running test 5 of 20...",
        "conversationId": "sess_123",
    },
    {
        "type": "progress_update",
        "currentStep": "Running tests",
        "completedSteps": 5,
        "totalSteps": 20,
        "percentage": 25.0,
    },
]


def one(*lines) -> Any:
    data = encode_all(lines)
    assert not unread(data)
    (conversation,) = files.fold(files.read(data))
    return conversation


def failure(subtype):
    kept = {name: field for name, field in SUCCESS.items() if name != "result"}
    return {**kept, "subtype": subtype, "is_error": True}


def test_a_successful_run():
    """Init, prompt, answer and result give the conversation its facts, tokens, cost and text."""
    talk = one(INIT, USER, ASSISTANT, SUCCESS)
    (turn,) = talk.turns

    assert (talk.id, talk.status, talk.title) == ("sess_123", Status.DONE, "Run the tests")
    assert talk.session.mcp_servers == (McpServer("tracker", "connected"), McpServer("maps", "failed"))
    assert (talk.session.api_key_source, talk.session.permission_mode) == ("none", "acceptEdits")
    assert (talk.tokens.input, talk.tokens.output) == (5, 7)
    assert (turn.duration_ms, turn.duration_api_ms, turn.num_turns) == (1234.5, 1000.25, 2)
    assert (talk.text(turn), talk.reported_cost_usd) == ("All green.", 0.003)


def test_servers_may_be_bare_names():
    """The older form of MCP servers, a list of names, has the same meaning."""
    talk = one({**INIT, "mcp_servers": ["tracker"]})

    assert talk.session.mcp_servers == (McpServer("tracker"),)


@pytest.mark.parametrize("subtype", ["error_max_turns", "error_during_execution"])
def test_a_failed_run(subtype):
    """An error result has no text, the turn names the error, and the conversation has failed."""
    talk = one(INIT, USER, failure(subtype))
    (turn,) = talk.turns

    assert (turn.subtype, turn.is_error, talk.text(turn)) == (subtype, True, "")
    assert talk.status is Status.FAILED


def test_success_that_is_an_error():
    """`is_error` and not the subtype decides whether a turn failed."""
    talk = one(INIT, USER, {**SUCCESS, "is_error": True})

    assert talk.turns[0].is_error
    assert talk.status is Status.FAILED


def test_a_message_without_an_id():
    """The example of the document, an answer without a message id, is shown unchanged."""
    (record,) = records(encode(EXAMPLE))
    talk = one(EXAMPLE)

    assert record.dialect is Dialect.STREAM_JSON
    assert (talk.id, talk.text(talk.messages[0])) == (
        "sess_123",
        "I'll run the test suite now. Running test 5 of 20...",
    )


def test_what_another_tool_made_of_it_is_kept():
    """Translated messages of another tool have unknown types; they are kept and shown, and are no errors."""
    talk = one(EXAMPLE, *TRANSLATED)

    assert [(notice.type, notice.is_internal) for notice in talk.notices] == [
        ("claude_response", False),
        ("progress_update", False),
    ]
    assert b'"percentage":25.0' in bytes(talk.notices[1].body)
    assert talk.session.unread == 0


@pytest.mark.parametrize("stop", ["end_turn", "max_tokens", "stop_sequence", "tool_use", None])
def test_every_stop_reason(stop):
    """A message with any stop reason, or without one, is shown."""
    talk = one(INIT, {**ASSISTANT, "message": {**ASSISTANT["message"], "stop_reason": stop}})

    assert talk.messages[0].stop_reason == stop
    assert talk.text(talk.messages[0]) == "Running."
