"""Tests that hook reports about edits are read as untrusted data."""

import json

import pytest

from chorus.steer.edits.events import EditEvent, Stage, read_event

SESSION = "11111111-2222-4333-8444-555555555555"


def payload(**more) -> bytes:
    return json.dumps({"hook_event_name": "PreToolUse", "session_id": SESSION, **more}).encode()


def read(**more) -> EditEvent:
    event = read_event(payload(**more))
    assert event is not None
    return event


def test_a_call_names_its_files_once():
    """The files of an editing call are those of its input, each once, in order."""
    event = read(
        tool_name="MultiEdit", tool_use_id="t", tool_input={"file_path": "a", "edits": [{"file_path": "a"}, {}]}
    )

    assert (event.stage, event.paths, event.call) == (Stage.BEFORE, ("a",), "t")
    assert event.matters
    assert not event.is_whole


def test_a_command_concerns_the_whole_workspace_and_a_reader_nothing():
    """A shell command may change any file; a call that only reads needs no snapshot."""
    assert read(tool_name="Bash", tool_input={"command": "make"}).is_whole
    assert not read(tool_name="Read", tool_input={"file_path": "a"}).matters
    assert read(hook_event_name="Stop").is_whole


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"{",
        b'{"hook_event_name":"PreToolUse"}',
        payload(session_id="../../etc"),
        payload(hook_event_name="Notification"),
        b"[" * 100_000,
        b"\xff\xfe",
    ],
)
def test_what_is_no_report_is_none(data):
    """A payload that is malformed, of another kind or without a session id gives no event."""
    assert read_event(data) is None


@pytest.mark.parametrize("given", [{"file_path": 7}, [], "text", None, {"edits": "x"}, {"file_path": ""}])
def test_an_odd_input_names_no_file(given):
    """An input that names no file gives an event without files, so that the call still counts as seen."""
    assert read(tool_name="Write", tool_input=given).paths == ()
