"""Tests of drift: unknown things are named, counted and dated, and recorded data contains none."""

import json
import os
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from chorus.core.records.drift import MAX_FINDINGS, Drift, DriftItem
from chorus.core.records.place import StreamId
from chorus.core.records.record import Record
from chorus.core.records.split import Splitter

SHARED = Path(__file__).parents[3].parent / "shared"
LATENCY_LOG = "the log of how late lines appeared in a file names each by its type; the client did not write it"
EXPECTED = {
    "field *.seen": LATENCY_LOG,
    "field *.sub": LATENCY_LOG,
    "field *.lag": LATENCY_LOG,
    "field *.c": LATENCY_LOG,
    "field hook.t": "the time that the recording hook script added to the payload",
    "type (no type)": "what a host's own permission callback was given, logged by the host",
    "type weird_type": "sent to the client on purpose, to see that it ignores it",
    "subtype control_request/no_such_thing": "sent to the client on purpose, to see how it refuses",
}
"""What recorded data holds that the catalogue need not know, with the reason; `*` stands for any text."""


def drift(*lines: dict | str, stream: str = "test") -> Drift:
    found = Drift()
    splitter = Splitter(StreamId(stream))
    for line in lines:
        text = line if isinstance(line, str) else json.dumps(line)
        for piece in splitter.feed(text.encode() + b"\n"):
            assert isinstance(piece, Record)
            found.add(piece)
    return found


def names(*lines: dict | str) -> list[str]:
    return [f"{finding.kind} {finding.name}" for finding in drift(*lines).findings()]


def assistant(**block: object) -> dict:
    return {"type": "assistant", "message": {"content": [{"type": "text", **block}]}}


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ({"type": "hologram", "a": 1}, "type hologram"),
        ({"a": 1}, "type (no type)"),
        ({"type": "system", "subtype": "new"}, "subtype system/new"),
        ({"type": "result", "subtype": "new"}, "subtype result/new"),
        ({"type": "control_request", "request": {"subtype": "new"}}, "subtype control_request/new"),
        ({"type": "control_response", "response": {"subtype": "new"}}, "subtype control_response/new"),
        ({"type": "stream_event", "event": {"type": "new"}}, "subtype stream_event/new"),
        ({"type": "queue-operation", "operation": "new"}, "subtype queue-operation/new"),
        ({"hook_event_name": "New"}, "subtype hook/New"),
        ({"type": "progress", "data": {"type": "new"}}, "progress new"),
        ({"type": "attachment", "attachment": {"type": "new"}}, "attachment new"),
        ({"type": "attachment", "attachment": {"type": "date", "new": 1}}, "field attachment/date.new"),
        (assistant(type="new"), "block new"),
        (assistant(new=1), "field assistant.message.content.new"),
        ({"type": "mode", "new": {"a": 1}}, "field mode.new"),
        ({"type": "cost-state", "modelUsage": {"m": {"new": 1}}}, "field cost-state.modelUsage.*.new"),
        ({"type": "mode", "mode": 7}, "shape mode.mode: number"),
        ({"type": "assistant", "message": "hi"}, "shape assistant.message: string"),
        ({"type": "tools-used", "tools": [{}]}, "shape tools-used.tools: object"),
        ({"type": "transcript_mirror", "entries": [{"type": "hologram"}]}, "type hologram"),
    ],
)
def test_what_is_unknown_is_named(line, name):
    """A new type, kind, block, field or shape is one finding with a name that can be looked up."""
    assert names(line) == [name]


def test_what_is_known_by_name_only_is_listed():
    """A type whose fields are unknown is listed by name, although it is no finding."""
    found = drift(
        {"type": "attachment", "attachment": {"type": "team_context", "anything": 1}},
        {"type": "worktree-state", "anything": 1},
        {"type": "worktree-state"},
        {"type": "attachment", "attachment": {"type": "date", "date": "today"}},
        {"type": "mode", "mode": "plan"},
    )

    assert found.known_by_name() == {"worktree-state": 2, "attachment/team_context": 1}
    assert found.findings() == []


def test_what_is_known_is_no_finding():
    """Known fields, types known by name only, free keys, null and the input of tools are not drift."""
    tool = {"type": "tool_use", "name": "X", "input": {"anything": [1]}}

    assert not names(
        {"type": "assistant", "parentUuid": None, "message": {"content": [tool], "usage": None}},
        {"type": "user", "message": {"content": "hi"}, "toolUseResult": {"anything": 1}},
        {"type": "worktree-state", "anything": 1},
        {"type": "attachment", "attachment": {"type": "team_context", "anything": 1}},
        {"type": "system", "subtype": "elicitation_complete"},
        {"type": "result", "structured_output": {"anything": 1}},
    )


def test_unread_bytes_are_not_drift():
    """Unread bytes are not drift, because they say nothing about the format."""
    assert not names("not JSON", '{"type":"hologram", broken')


def test_findings_are_dated_by_the_oldest_client():
    """A finding has the oldest client version that it came with.

    The version is that of the record, or else the last one in its stream.
    """
    found = drift(
        {"type": "summary", "new": 1},
        {"type": "mode", "version": "2.1.100", "new": 1},
        {"type": "mode", "version": "2.1.99", "new": 1},
        {"type": "agent-name", "new": 1},
        {"type": "system", "subtype": "init", "claude_code_version": "3.0.0", "new": 1},
    )

    assert {finding.name: finding.first_version for finding in found.findings()} == {
        "summary.new": None,
        "mode.new": "2.1.99",
        "agent-name.new": "2.1.99",
        "system.new": "3.0.0",
    }


def test_findings_add_up():
    """Two merged collectors have the findings of one that saw both streams, with the most frequent first."""
    found = drift({"type": "mode", "version": "2.0.1", "a": 1, "b": 1}, stream="one")
    found.merge(drift({"type": "mode", "version": "1.0.9", "b": 1}, stream="two"))

    assert found.findings() == [
        DriftItem("field", "mode.b", 2, "1.0.9"),
        DriftItem("field", "mode.a", 1, "2.0.1"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        '{"type":"user","message":' + '{"a":' * 5000 + "1" + "}" * 5001,
        '{"type":"user","message":{"content":"\\ud800"},"\\ud800":1}',
        '{"type":"assistant","version":"²..x","apiBlockIndex":' + "9" * 400 + "}",
        '{"type":["user"],"subtype":{},"attachment":[]}',
        '{"type":"attachment","attachment":{"type":["date"]}}',
        '{"type":"system","subtype":["init"],"version":7}',
        '{"type":"api-request-shape","shape":{"tools":[{"input_schema":' + '{"items":' * 400 + "1" + "}" * 404,
        '{"type":"transcript_mirror","entries":[' + '{"type":"transcript_mirror","entries":[' * 200 + "]}" * 201,
    ],
)
def test_hostile_lines_do_no_harm(line):
    """Looking for drift raises no error for any line, and the findings can be encoded."""
    assert json.dumps(names(line)).encode()


def test_findings_are_bounded():
    """Random names in the data neither fill the memory nor make names of unlimited length."""
    many = drift({"type": "mode", **{f"x{n}": 1 for n in range(MAX_FINDINGS + 5)}}).findings()
    (long,) = drift({"type": "mode", "y" * 5000: 1}).findings()

    assert len(many) == MAX_FINDINGS + 1
    assert sum(finding.count for finding in many) == MAX_FINDINGS + 5
    assert len(long.name) == 200


def test_recorded_data_holds_nothing_unknown():
    """Every finding in recorded data is expected for a reason, and every expectation is still needed."""
    if not SHARED.is_dir():
        pytest.skip(f"no recorded data at {SHARED}")
    found = Drift()
    for folder, _, files in os.walk(SHARED):
        for name in files:
            if name.endswith((".jsonl", ".raw")):
                splitter = Splitter(StreamId(f"{folder}/{name}"))
                for piece in (*splitter.feed((Path(folder) / name).read_bytes()), *splitter.close()):
                    if isinstance(piece, Record):
                        found.add(piece)
    findings = [f"{finding.kind} {finding.name}" for finding in found.findings()]

    assert not [name for name in findings if not any(fnmatchcase(name, expected) for expected in EXPECTED)]
    assert not [expected for expected in EXPECTED if not any(fnmatchcase(name, expected) for name in findings)]
