"""Tests of the permission tool: it speaks MCP, passes the input on unchanged and denies what it does not understand."""

import json

import pytest

from chorus.steer.hooks.payloads import output_of, read_event, read_permission_payload
from chorus.steer.hooks.prompt_tool import (
    NO_SESSION,
    OLDEST_CLIENT,
    TOOL,
    UNANSWERED,
    Call,
    McpMessage,
    read_message,
    too_old,
)

SESSION = "5e551011-0000-4000-8000-000000000001"
GIVEN = '{ "command":  "ls \\u00e9", "n": 1e2 }'


def message(method: str, params: str = "{}") -> McpMessage:
    read = read_message(f'{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{params}}}'.encode())
    assert read is not None
    return read


def replied(method: str):
    return json.loads(message(method).reply("1.0") or b"")


def call() -> Call:
    given = f'{{"tool_name":"Bash","input":{GIVEN},"tool_use_id":"t"}}'
    found = message("tools/call", f'{{"name":"{TOOL}","arguments":{given}}}').call
    assert found is not None
    return found


def test_a_client_sees_one_tool():
    """The tool answers the first requests of a client with one tool, and does not answer notifications."""
    begun = replied("initialize")
    (tool,) = replied("tools/list")["result"]["tools"]

    assert begun["id"] == 7 and begun["result"]["serverInfo"] == {"name": "chorus", "version": "1.0"}
    assert tool["name"] == TOOL and tool["inputSchema"]["required"] == ["tool_name", "input"]
    assert replied("resources/list")["error"]["code"] == -32601
    told = read_message(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
    assert told is not None and told.reply("1.0") is None


def test_a_call_becomes_the_payload_of_a_hook_with_its_exact_input():
    """A call becomes the payload of a hook, which the same reader accepts with every byte of the input."""
    text = call().hook_text(SESSION, '/home/dev/"x"')
    event, asked = read_event(text), read_permission_payload(text)

    assert event is not None and event.session == SESSION
    assert asked is not None and (asked.tool, asked.input, asked.cwd) == ("Bash", GIVEN, '/home/dev/"x"')


def test_an_approval_runs_what_was_approved():
    """An approval returns the input unchanged, or as a person edited it."""
    edited = '{"command": "pwd"}'

    assert call().answer(output_of("allow")) == f'{{"behavior":"allow","updatedInput":{GIVEN}}}'
    assert call().answer(output_of("allow", input_text=edited)) == f'{{"behavior":"allow","updatedInput":{edited}}}'


def test_a_denial_says_why():
    """A denial returns the message of the person who denied."""
    told = json.loads(call().answer(output_of("deny", message="Not here.")))

    assert told == {"behavior": "deny", "message": "Not here."}


@pytest.mark.parametrize("output", [b"", b"x", b"{}", b'{"hookSpecificOutput":{"decision":{"behavior":1}}}', b"[]"])
def test_what_is_no_answer_is_a_no(output):
    """A missing or malformed answer is a denial."""
    assert json.loads(call().answer(output)) == {"behavior": "deny", "message": UNANSWERED}


@pytest.mark.parametrize("line", [b"", b"x", b"[]", b"7", b'{"method":3}', b'{"id":{}}', b"[" * 5_000])
def test_what_is_no_message_is_none(line):
    """A line that is no message gives None and raises no error."""
    assert read_message(line) is None


def test_another_tool_is_not_called():
    """A call of another tool, or one without arguments, is not accepted."""
    assert message("tools/call", '{"name":"other","arguments":{"tool_name":"Bash","input":{}}}').call is None
    assert message("tools/call", f'{{"name":"{TOOL}","arguments":{{}}}}').call is None


@pytest.mark.parametrize(
    ("said", "version"),
    [("2.1.50", (2, 1, 50)), ("2.1.325", (2, 1, 325)), ("", None), ("2.1.x", None), ("1" * 5000, None), ("2.²", None)],
)
def test_the_client_introduces_itself(said, version):
    """The client's version is read from its first message, and a malformed version gives None."""
    params = json.dumps({"clientInfo": {"name": "claude-code", "version": said}})

    assert message("initialize", params).client == version
    assert message("ping", params).client is None and message("initialize").client is None


def test_a_client_that_is_too_old_gets_that_answer():
    """The message for a client that is too old names its version and the oldest version that works."""
    assert too_old((2, 1, 50)).endswith("Claude Code 2.1.50 does not say it, 2.1.150 and newer do.")
    assert ".".join(map(str, OLDEST_CLIENT)) in NO_SESSION
