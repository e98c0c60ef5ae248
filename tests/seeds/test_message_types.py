"""Tests of seed document 2, the types of session files: schemas, blocks, side files, a full exchange, plan mode."""

from typing import Any

import pytest

from chorus.core.conversation.items import CallState, Status, ToolResult
from chorus.library import files
from chorus.testing.builders import Session, encode_all, lay_out, text, tool_result, tool_use
from chorus.testing.reading import unread

SESSION = "0b0e0c1a-0000-4000-8000-00000000002a"
USER = {
    "type": "user",
    "sessionId": SESSION,
    "uuid": "unique-message-id",
    "parentUuid": "parent-message-id",
    "message": {"role": "user", "content": [text("Here is the file contents...")]},
    "timestamp": "2024-01-15T10:30:00.000Z",
    "cwd": "/path/to/working/directory",
}
ASSISTANT = {
    "type": "assistant",
    "sessionId": SESSION,
    "uuid": "unique-message-id-2",
    "parentUuid": "unique-message-id",
    "message": {
        "role": "assistant",
        "content": [text("Reading."), tool_use("Read", {"file_path": "/path/to/file.py"}, id="toolu_01ABC123")],
    },
    "costUSD": 0.0123,
    "durationMs": 1500,
    "model": "claude-sonnet-4-20250514",
}
RESULT = {
    **USER,
    "uuid": "unique-message-id-3",
    "parentUuid": "unique-message-id-2",
    "message": {"role": "user", "content": [tool_result("toolu_01ABC123", "File contents here...")]},
    "toolUseResult": {"type": "text", "file": {"filePath": "/path/to/file.py", "content": "x"}},
}
SNAPSHOT = {"type": "snapshot", "messageId": "unique-message-id", "timestamp": "2024-01-15T10:30:01.000Z"}
EXCHANGE = [
    {"type": "summary", "summary": "Debug login issue", "leafUuid": "msg-003", "version": "1"},
    {
        "type": "user",
        "uuid": "msg-001",
        "parentUuid": None,
        "message": {"role": "user", "content": [text("Why is login failing?")]},
    },
    {
        "type": "assistant",
        "uuid": "msg-002",
        "parentUuid": "msg-001",
        "message": {
            "role": "assistant",
            "content": [
                text("Let me check the auth code."),
                tool_use("Read", {"file_path": "/src/auth.py"}, id="toolu_01X"),
            ],
        },
    },
    {
        "type": "user",
        "uuid": "msg-003",
        "parentUuid": "msg-002",
        "message": {"role": "user", "content": [tool_result("toolu_01X", "def login(user, pwd):\n  ...")]},
    },
]
SIDE_NAME = "toolu_01ABC123.txt"
REFERENCE = f"[stored in .claude/projects/some-project/tool-results/{SIDE_NAME}]"


def one(*lines) -> Any:
    data = encode_all(lines)
    assert not unread(data)
    (conversation,) = files.fold(files.read(data))
    return conversation


def test_the_message_schemas():
    """User, assistant, tool result and snapshot lines in the documented form become a conversation."""
    talk = one(USER, ASSISTANT, RESULT, SNAPSHOT)
    prompt, answer = talk.messages
    (call,) = talk.calls

    assert (talk.id, talk.session.cwd) == (SESSION, "/path/to/working/directory")
    assert talk.text(prompt) == "Here is the file contents..."
    assert (answer.parent, answer.model) == (prompt.id, "claude-sonnet-4-20250514")
    assert (answer.cost_usd, answer.duration_ms) == (0.0123, 1500)
    assert talk.session.models == ("claude-sonnet-4-20250514",)
    assert (call.state, talk.result(call).uuid) == (CallState.DONE, "unique-message-id-3")
    assert b"filePath" in bytes(talk.result(call).structured)
    assert [notice.type for notice in talk.notices if notice.is_internal] == ["snapshot"]


def test_the_complete_exchange():
    """The summary becomes the title, the result is paired with its call, and the call is done."""
    talk = one(*EXCHANGE)
    question, answer = talk.messages
    (call,) = talk.calls

    assert (talk.title, talk.session.title_source) == ("Debug login issue", "summary")
    assert talk.text(question) == "Why is login failing?"
    assert [part.block.type for part in talk.blocks(answer)] == ["text", "tool_use"]
    assert (call.name, call.state) == ("Read", CallState.DONE)
    assert bytes(talk.result(call).content) == b'"def login(user, pwd):\\n  ..."'
    assert answer.parent == question.id
    assert talk.status is Status.THINKING


def session_with_reference(reference=REFERENCE):
    talk = Session(SESSION)
    talk.user("Read it")
    talk.assistant(tool_use("Bash", {"command": "cat big"}, id="toolu_01ABC123"))
    talk.tool_result("toolu_01ABC123", reference)
    return talk


def test_a_reference_is_resolved_in_the_sessions_own_folder(tmp_path):
    """A stored output is found by its name below the folder of its session."""
    path = lay_out(tmp_path, session_with_reference(), side_files={SIDE_NAME: "the whole output"})
    talk = files.open(path)
    (side,) = talk.side_files.values()

    assert (side.name, side.size_bytes) == (SIDE_NAME, 16)
    assert side.path == str(path.with_suffix("") / "tool-results" / SIDE_NAME)


def test_a_missing_side_file_is_said_to_be_missing(tmp_path):
    """A missing side file has no size, and its name is still known."""
    talk = files.open(lay_out(tmp_path, session_with_reference()))
    (side,) = talk.side_files.values()

    assert (side.name, side.size_bytes) == (SIDE_NAME, None)


def test_another_sessions_side_file_is_not_taken(tmp_path):
    """A file with the same name in another session's folder, or at the path in the text, is not used."""
    other = Session("0b0e0c1a-0000-4000-8000-00000000002b")
    other.user("Hi")
    lay_out(tmp_path, other, side_files={SIDE_NAME: "not yours"})
    elsewhere = tmp_path / "tool-results" / SIDE_NAME
    elsewhere.parent.mkdir()
    elsewhere.write_text("not yours either")
    talk = files.open(lay_out(tmp_path, session_with_reference(f"[stored in {elsewhere}]")))

    assert [side.size_bytes for side in talk.side_files.values()] == [None]


def test_a_reference_without_a_folder_is_known_by_name():
    """If a session is read from bytes alone, the result still names its side file."""
    talk = one(*session_with_reference().lines)

    assert [result.side_file for result in talk.all(ToolResult)] == [SIDE_NAME]
    assert not talk.side_files


def test_plan_mode(tmp_path):
    """The session has the slug, and the plan with this name is read from the client's plans folder."""
    planned = Session(SESSION, slug="dazzling-herding-fox")
    planned.user("Plan it")
    planned.assistant("Here it is.")

    talk = files.open(lay_out(tmp_path, planned, plan="# Plan\n\n1. Look\n"))
    assert (talk.session.slug, talk.plan_file) == ("dazzling-herding-fox", "# Plan\n\n1. Look\n")


def test_a_slug_alone_is_no_plan(tmp_path):
    """A session with a slug but without a plan file has no plan."""
    planned = Session(SESSION, slug="dazzling-herding-fox")
    planned.user("Plan it")

    talk = files.open(lay_out(tmp_path, planned))
    assert (talk.session.slug, talk.plan_file) == ("dazzling-herding-fox", None)


@pytest.mark.parametrize("slug", ["../../secret", "/etc/passwd", ".hidden", ".."])
def test_a_slug_is_never_a_path(tmp_path, slug):
    """A slug that is a path finds no plan."""
    (tmp_path / "secret.md").write_text("no")
    planned = Session(SESSION, slug=slug)
    planned.user("Plan it")

    assert files.open(lay_out(tmp_path, planned)).plan_file is None


def test_every_common_tool():
    """The tools that the document lists are normal calls."""
    names = ["Read", "Write", "Edit", "Bash", "Glob", "Grep", "Task", "TodoWrite", "WebFetch", "WebSearch"]
    talk = Session(SESSION)
    talk.assistant(*(tool_use(name, id=f"toolu_{name}") for name in names))

    assert [call.name for call in one(*talk.lines).calls] == names
