"""Tests of seed document 3, the analysis of session files: envelopes, streaming, compaction, queue, file history."""

from typing import Any

from chorus.core.conversation.items import CallState, Compaction, Queued, Status, Tokens
from chorus.core.records.record import Dialect
from chorus.library import files
from chorus.testing.builders import Session, encode_all, text, thinking, tool_use
from chorus.testing.reading import records, unread

SESSION = "0b0e0c1a-0000-4000-8000-00000000003a"
ENVELOPE = {
    "isSidechain": False,
    "userType": "external",
    "cwd": "/home/dev/work",
    "sessionId": SESSION,
    "version": "2.0.76",
    "gitBranch": "main",
    "slug": "foamy-conjuring-crane",
}
USER = {
    "parentUuid": None,
    **ENVELOPE,
    "type": "user",
    "message": {"role": "user", "content": "Why is it slow?"},
    "uuid": "11111111-0000-4000-8000-000000000001",
    "timestamp": "2026-01-05T09:00:00.000Z",
}
USAGE = {
    "input_tokens": 9,
    "cache_creation_input_tokens": 4000,
    "cache_read_input_tokens": 12000,
    "cache_creation": {"ephemeral_5m_input_tokens": 4000, "ephemeral_1h_input_tokens": 0},
    "output_tokens": 1,
    "service_tier": "standard",
}


def chunk(number, block, *, stop=None, said=1):
    """Returns one line of the streaming example."""
    return {
        "parentUuid": f"11111111-0000-4000-8000-00000000000{number}",
        **ENVELOPE,
        "message": {
            "model": "claude-opus-4-5-20251101",
            "id": "msg_01SQxiSj56kZvabczbt1CGYu",
            "type": "message",
            "role": "assistant",
            "content": [block],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {**USAGE, "output_tokens": said},
        },
        "requestId": "req_011CWXEFpwx7MLKtD7u1Czgn",
        "type": "assistant",
        "uuid": f"11111111-0000-4000-8000-00000000000{number + 1}",
        "timestamp": f"2026-01-05T09:00:0{number}.000Z",
    }


STREAMED = [
    chunk(1, thinking("Perhaps the index.", signature="EqoBCkg=")),
    chunk(2, text("I will look.")),
    chunk(3, tool_use("Read", {"file_path": "/a.py", "limit": 20}, id="toolu_01LfqY"), stop="tool_use", said=77),
]
RESULT = {
    "parentUuid": "11111111-0000-4000-8000-000000000004",
    **ENVELOPE,
    "type": "user",
    "message": {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "toolu_01LfqY", "content": {"rows": [1, 2]}}],
    },
    "uuid": "11111111-0000-4000-8000-000000000005",
    "timestamp": "2026-01-05T09:00:05.000Z",
}
COMPACT = {
    "parentUuid": None,
    "logicalParentUuid": "11111111-0000-4000-8000-000000000005",
    **ENVELOPE,
    "type": "system",
    "subtype": "compact_boundary",
    "content": "Conversation compacted",
    "level": "info",
    "isMeta": False,
    "compactMetadata": {"trigger": "auto", "preTokens": 155123},
    "uuid": "11111111-0000-4000-8000-000000000006",
    "timestamp": "2026-01-05T09:00:06.000Z",
}
HISTORY = {
    "type": "file-history-snapshot",
    "messageId": "11111111-0000-4000-8000-000000000001",
    "isSnapshotUpdate": False,
    "snapshot": {
        "messageId": "11111111-0000-4000-8000-000000000001",
        "timestamp": "2026-01-05T09:00:00.000Z",
        "trackedFileBackups": {
            "a.py": {
                "backupFileName": "1485d2949381e3df@v1",
                "version": 1,
                "backupTime": "2026-01-05T09:00:00.000Z",
            },
            "new.py": {"backupFileName": None, "version": 1, "backupTime": "2026-01-05T09:00:00.000Z"},
        },
    },
}


def queue(operation, second, content=None):
    line = {
        "type": "queue-operation",
        "operation": operation,
        "timestamp": f"2026-01-05T09:00:{second:02d}.000Z",
        "sessionId": SESSION,
    }
    return line if content is None else {**line, "content": content}


def one(*lines) -> Any:
    data = encode_all(lines)
    assert not unread(data)
    (conversation,) = files.fold(files.read(data))
    return conversation


def test_every_line_is_of_the_session_dialect():
    """All documented lines are recognised as lines of session files."""
    lines = [HISTORY, USER, *STREAMED, RESULT, COMPACT, queue("enqueue", 9, "More"), queue("dequeue", 10)]

    assert {record.dialect for record in records(encode_all(lines))} == {Dialect.SESSION}


def test_streamed_lines_are_one_message():
    """Thinking, text and call with one message id are one message with three blocks, and its usage is counted once."""
    talk = one(HISTORY, USER, *STREAMED, RESULT)
    _, answer = talk.messages

    assert [part.block.type for part in talk.blocks(answer)] == ["thinking", "text", "tool_use"]
    assert talk.blocks(answer)[0].block.signature == "EqoBCkg="
    assert (answer.stop_reason, answer.request_id) == ("tool_use", "req_011CWXEFpwx7MLKtD7u1Czgn")
    assert talk.tokens == Tokens(input=9, output=77, cache_creation=4000, cache_read=12000, cache_creation_5m=4000)
    assert answer.service_tier == "standard"
    assert talk.session.messages == 1


def test_a_message_is_shown_before_it_is_complete():
    """A line without a stop reason is shown at once, before the last line of its message."""
    talk = one(USER, *STREAMED[:2])

    assert [part.block.type for part in talk.blocks(talk.messages[-1])] == ["thinking", "text"]


def test_the_facts_of_the_envelope():
    """The version, branch, folder and slug of a session come from its lines."""
    facts = one(USER).session

    assert (facts.versions, facts.git_branch, facts.cwd) == (("2.0.76",), "main", "/home/dev/work")
    assert (facts.slug, facts.title) == ("foamy-conjuring-crane", "Why is it slow?")


def test_a_result_may_be_an_object():
    """The content of a result is kept unchanged, whatever its type is."""
    talk = one(USER, *STREAMED, RESULT)
    (call,) = talk.calls

    assert call.state is CallState.DONE
    assert bytes(talk.result(call).content) == b'{"rows":[1,2]}'


def test_a_compaction_is_a_mark_in_the_thread():
    """A compaction is a mark at its place in the thread, with its trigger and the number of tokens before it."""
    talk = one(USER, *STREAMED, RESULT, COMPACT)
    (mark,) = talk.all(Compaction)

    assert (mark.trigger, mark.pre_tokens) == ("auto", 155123)
    assert talk.thread()[-1] == mark


def test_the_queue():
    """Queued input waits until it is taken or shown to the model, and input that became a prompt is not shown twice."""
    waiting = one(USER, queue("enqueue", 9, "First"), queue("enqueue", 10, [text("Second")]))
    taken = one(
        USER, queue("enqueue", 9, "First"), queue("enqueue", 10, "Second"), queue("dequeue", 11), queue("remove", 12)
    )

    assert [(waiting.text(item), item.state) for item in waiting.all(Queued)] == [
        ("First", "waiting"),
        ("Second", "waiting"),
    ]
    assert [item.state for item in taken.all(Queued)] == ["taken", "absorbed"]
    assert [taken.text(item) for item in taken.thread() if isinstance(item, Queued)] == ["Second"]
    assert len([item for item in waiting.thread() if isinstance(item, Queued)]) == 2


def test_file_history_is_kept_out_of_sight():
    """File history snapshots are internal records and are not shown in the thread."""
    talk = one(HISTORY, USER)

    assert [notice.type for notice in talk.notices if notice.is_internal] == ["file-history-snapshot"]
    assert len(talk.thread()) == 1


def test_the_thread_of_parents():
    """Each message continues the message before it, through the lines between them."""
    talk = Session(SESSION)
    talk.user("One")
    talk.assistant(tool_use("Read"))
    talk.tool_result("toolu_1")
    talk.assistant("Two")
    messages = one(*talk.lines).messages

    assert [message.parent for message in messages] == [None, messages[0].id, messages[1].id]


def test_a_synthetic_message_used_no_tokens():
    """A synthetic message of the client is shown, but it uses no model and no tokens."""
    line = chunk(1, text("No response requested."), stop="stop_sequence")
    line["message"]["model"] = "<synthetic>"
    talk = one(USER, line)

    assert (talk.session.models, talk.tokens.input) == ((), 0)
    assert talk.text(talk.messages[-1]) == "No response requested."
    assert talk.status is Status.DONE
