"""Tests of coverage: which values the model covers, and how much of recorded data."""

import json
import os
from pathlib import Path

import pytest

from chorus.core.records.coverage import TOOL_INPUTS, TOOL_OUTPUTS, Count, Coverage
from chorus.core.records.place import StreamId
from chorus.core.records.record import Record
from chorus.core.records.split import Splitter

SHARED = Path(__file__).parents[3].parent / "shared"


def covered(*lines: dict | str) -> Coverage:
    coverage = Coverage()
    splitter = Splitter(StreamId("test"))
    for line in lines:
        text = line if isinstance(line, str) else json.dumps(line)
        for piece in splitter.feed(text.encode("utf-8", "surrogatepass") + b"\n"):
            assert isinstance(piece, Record)
            coverage.add(piece)
    return coverage


def call(name: str, **arguments: object) -> dict:
    return {"type": "assistant", "message": {"content": [tool_use(name, arguments)]}}


def tool_use(name: str, arguments: object) -> dict:
    return {"type": "tool_use", "id": "t1", "name": name, "input": arguments}


def answer(result: object) -> dict:
    block = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "ok"}]}
    return {"type": "user", "message": {"content": [block]}, "toolUseResult": result}


def test_named_fields_are_covered():
    """The values of typed fields and of list elements are covered; the record itself is not counted."""
    line = {"type": "assistant", "message": {"content": [{"type": "text", "text": "hi"}]}}

    assert covered(line).counts == {"assistant": Count(6, 6)}


def test_an_unknown_field_is_not_covered_nor_what_is_in_it():
    """Neither an unknown field nor anything below it is covered."""
    assert covered({"type": "mode", "mode": "normal", "new": {"a": [1, 2]}}).counts == {"mode": Count(6, 2)}


def test_values_below_free_keys_are_covered_by_their_type():
    """All values of an object with free keys have one type, and fields outside this type are not covered."""
    usage = {"claude": {"inputTokens": 1, "surprise": 2}}

    assert covered({"type": "cost-state", "modelUsage": usage}).counts == {"cost-state": Count(5, 4)}


def test_an_open_field_covers_only_itself():
    """A field with open content is covered, but the values inside it are not."""
    line = {"type": "result", "structured_output": {"answer": [1]}}

    assert covered(line).counts == {"result": Count(4, 2)}


def test_another_shape_is_not_covered():
    """A value of another shape than declared is not covered.

    Examples are a text instead of an object, a number instead of a text, and an object instead of a number.
    """
    line = {"type": "assistant", "message": "hi", "requestId": 7, "apiBlockIndex": {"a": 1}}

    assert covered(line).counts == {"assistant": Count(5, 1)}


def test_bodies_left_for_later_are_followed():
    """The kind of an attachment selects its struct, and the fields of an unknown kind are not covered."""
    known = {"type": "attachment", "attachment": {"type": "date", "date": "2026-11-15"}}
    unknown = {"type": "attachment", "attachment": {"type": "hologram", "date": "2026-11-15"}}

    assert covered(known).counts == {"attachment": Count(4, 4)}
    assert covered(unknown).counts == {"attachment": Count(4, 1)}


def test_mirrored_records_are_followed():
    """A mirrored line is covered like its own record type, and counts for the mirror."""
    line = {"type": "transcript_mirror", "entries": [{"type": "mode", "mode": "normal"}]}

    assert covered(line).counts == {"transcript_mirror": Count(5, 5)}


def test_tools_are_counted_apart():
    """The input and output of a tool are compared with the tool's type, and do not count for the record."""
    coverage = covered(call("Bash", command="ls", new=1), answer({"stdout": "x", "new": 1}))

    assert coverage.counts[TOOL_INPUTS] == Count(3, 2)
    assert coverage.counts[TOOL_OUTPUTS] == Count(7, 6)
    assert coverage.counts["assistant"].share == coverage.counts["user"].share == coverage.total() == 1.0


def test_a_tool_nobody_knows_is_reached_by_its_field_only():
    """Of the input and output of an unknown tool, only the body itself is covered."""
    coverage = covered(call("mcp__x__y", a=1, b=2), answer({"c": 3}))

    assert coverage.counts[TOOL_INPUTS] == Count(3, 1)
    assert coverage.counts[TOOL_OUTPUTS] == Count(6, 5)


def test_a_permission_request_is_a_tool_input_and_a_hook_callback_is_not():
    """The `input` of a control request belongs to a tool or a hook, depending on its subtype."""
    ask = {"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "ls"}}
    hook = {"subtype": "hook_callback", "input": {"hook_event_name": "Stop", "tool_input": {"a": 1}}}
    coverage = covered({"type": "control_request", "request": ask}, {"type": "control_request", "request": hook})

    assert coverage.counts["control_request"] == Count(9, 9)
    assert coverage.counts[TOOL_INPUTS] == Count(4, 3)


def test_counts_add_up():
    """Two merged collectors have the counts of one that saw all records; without values the coverage is complete."""
    lines = [{"type": "mode", "new": 1}, {"type": "summary", "summary": "s"}, {"type": "mode", "mode": "m"}]
    merged = covered(lines[0])
    merged.merge(covered(*lines[1:]))

    assert merged.counts == covered(*lines).counts
    assert merged.shares() == {"mode": 0.75, "summary": 1.0}
    assert Coverage().total() == 1.0


@pytest.mark.parametrize(
    "line",
    [
        '{"type":"user","message":' + '{"a":' * 5000 + "1" + "}" * 5001,
        '{"type":"user","message":' + "[" * 400 + "]" * 400 + "}",
        '{"type":"user","message":{"content":"\\ud800"}}',
        '{"type":"assistant","apiBlockIndex":' + "9" * 400 + "}",
        '{"type":["user"],"subtype":{},"attachment":[]}',
        '{"type":"attachment","attachment":{"type":["date"]}}',
        '{"type":"assistant","message":{"content":[{"type":"tool_use","id":[],"name":{},"input":[]}]}}',
        '{"type":"user","message":{"content":[[],"",7]},"toolUseResult":{}}',
        "not JSON",
    ],
)
def test_hostile_lines_do_no_harm(line):
    """Counting raises no error for any line."""
    assert 0 <= covered(line).total() <= 1


def test_the_model_reaches_nearly_all_of_recorded_data():
    """At least 95 of 100 recorded values have a name in the model, also for the input and output of tools."""
    if not SHARED.is_dir():
        pytest.skip(f"no recorded data at {SHARED}")
    coverage = Coverage()
    for folder, _, names in os.walk(SHARED):
        for name in names:
            if name.endswith((".jsonl", ".raw")):
                splitter = Splitter(StreamId(name))
                for piece in (*splitter.feed((Path(folder) / name).read_bytes()), *splitter.close()):
                    if isinstance(piece, Record):
                        coverage.add(piece)

    assert coverage.total() >= 0.95, coverage.shares()
    assert min(coverage.shares()[apart] for apart in (TOOL_INPUTS, TOOL_OUTPUTS)) >= 0.95
