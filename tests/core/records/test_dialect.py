"""Tests of the dialect of a record, which is recognised from the record alone."""

import pytest

from chorus.core.records.dialect import dialect_of, kind_of
from chorus.core.records.record import Dialect
from chorus.testing.builders import Flat, Run, Session, encode, text, tool_use
from chorus.testing.reading import records

SESSION, STREAM, FLAT, OTHER = Dialect.SESSION, Dialect.STREAM_JSON, Dialect.FLAT, Dialect.OTHER


def session_lines():
    talk = Session()
    talk.summary("A talk", leaf="u")
    talk.user("Go")
    talk.assistant("Yes", tool_use("Read"))
    talk.tool_result("toolu_1", "x")
    talk.attachment("date", date="today")
    talk.progress("bash_progress", "toolu_1", output="")
    talk.system("turn_duration", durationMs=3)
    talk.compact("So far")
    talk.queue("enqueue", "More")
    talk.snapshot()
    talk.title("Named")
    talk.fact("mode", mode="normal")
    talk.fact("permission-mode", permissionMode="plan")
    talk.fact("last-prompt", lastPrompt="Go", leafUuid="u")
    return [*talk.lines, *talk.agent("a1", "toolu_1").assistant("Inside")]


def stream_lines():
    run = Run()
    run.init()
    run.user("Go")
    run.assistant("Yes")
    run.tool_result("toolu_1", "x")
    run.streamed("Y", "es")
    run.ask("toolu_1", "Bash")
    run.answer("allow")
    run.task("started", "t1", "toolu_1")
    run.system("compact_boundary", compact_metadata={"trigger": "manual", "pre_tokens": 3})
    run.result()
    run.result(None, subtype="error_max_turns")
    run.line("command_lifecycle", state="queued")
    run.line("hologram")
    return run.lines


def flat_lines(*, snake_case):
    events = Flat(snake_case=snake_case)
    events.start("s")
    events.text("Y")
    events.tool_use("t", "Read")
    events.tool_result("t", "x")
    events.permission_request("May I?")
    events.assistant("Yes")
    events.result()
    events.error("api_error", "no")
    return events.lines


@pytest.mark.parametrize(
    ("lines", "dialect"),
    [
        (session_lines(), SESSION),
        (stream_lines(), STREAM),
        (flat_lines(snake_case=False), FLAT),
        (flat_lines(snake_case=True), FLAT),
    ],
)
def test_each_dialect_is_known_line_by_line(lines, dialect):
    """Every line of a dialect is recognised as that dialect, independent of other lines."""
    for line in lines:
        (record,) = records(encode(line))
        assert (record.type, record.dialect) == (line["type"], dialect)


@pytest.mark.parametrize(
    ("line", "dialect"),
    [
        ({"type": "result", "result": "ok"}, FLAT),
        ({"type": "result", "result": {"stopReason": "end_turn"}, "sessionId": "s"}, FLAT),
        ({"type": "result", "result": "ok", "session_id": "s"}, FLAT),
        ({"type": "result", "subtype": "success", "result": "ok"}, STREAM),
        ({"type": "result", "subtype": "error_max_turns"}, STREAM),
        ({"type": "user", "message": {"content": "a"}}, STREAM),
        ({"type": "user", "message": {"content": "a"}, "sessionId": "s"}, SESSION),
        ({"type": "user", "message": {"content": "a"}, "session_id": "s"}, STREAM),
        ({"type": "user", "message": {"content": "a"}, "session_id": "s", "sessionId": "s"}, SESSION),
        ({"type": "user", "message": {"content": "a"}, "uuid": "u", "parentUuid": "v"}, SESSION),
        ({"type": "assistant", "message": {"content": [text("a")]}}, FLAT),
        ({"type": "assistant", "message": {"id": "m", "content": [text("a")]}}, STREAM),
        ({"type": "assistant", "message": {"content": [text("a")]}, "session_id": "s"}, STREAM),
        ({"type": "assistant", "message": {"content": [text("a")]}, "sessionId": "s"}, SESSION),
        ({"type": "assistant", "message": {"content": [text("a")]}, "uuid": "u"}, SESSION),
        ({"type": "assistant", "message": {"content": [text("a")]}, "uuid": "u", "session_id": "s"}, STREAM),
        ({"type": "system", "content": "free"}, FLAT),
        ({"type": "system", "subtype": "init"}, STREAM),
        ({"type": "system", "subtype": "compact_boundary", "isSidechain": False}, SESSION),
        ({"type": "hologram", "session_id": "s"}, STREAM),
        ({"type": "hologram", "sessionId": "s"}, SESSION),
        ({"type": "hologram"}, OTHER),
        ({}, OTHER),
    ],
)
def test_twins_are_recognised_by_their_envelope(line, dialect):
    """A type that several dialects share is recognised by the fields around it."""
    (record,) = records(encode(line))

    assert record.dialect is dialect
    assert dialect_of(record.value) is dialect


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ({"type": "system", "subtype": "init"}, "init"),
        ({"type": "attachment", "attachment": {"type": "date", "x": 1}}, "date"),
        ({"type": "attachment", "attachment": 7}, ""),
        ({"type": "attachment"}, ""),
        ({"type": "queue-operation", "operation": "enqueue"}, "enqueue"),
        ({"type": "progress", "data": {"type": "bash_progress"}}, "bash_progress"),
        ({"type": "stream_event", "event": {"type": "message_start"}}, "message_start"),
        ({"type": "control_request", "request": {"subtype": "can_use_tool"}}, "can_use_tool"),
        ({"type": "control_response", "response": {"subtype": "success"}}, "success"),
        ({"type": "hologram", "subtype": "new"}, "new"),
        ({"type": "user"}, ""),
    ],
)
def test_the_kind_is_what_splits_a_type(line, kind):
    """If a record type uses another field instead of `subtype`, that field is the kind."""
    (record,) = records(encode(line))

    assert kind_of(record.value) == kind
