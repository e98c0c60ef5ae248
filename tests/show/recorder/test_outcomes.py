"""Tests of outcomes: what the client's session file says about a request is what its row says."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from chorus.core.records.times import wire_time
from chorus.show.recorder.outcomes import Outcomes
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.model import State
from tests.steer.approvals.samples import NOON, add_approver, allow, request

CLOSED = "Tool permission request failed: AbortError: Tool permission stream closed before response received"
REJECTED = "The user doesn't want to proceed with this tool use. The tool use was rejected."


@pytest.mark.parametrize(("after_s", "effect"), [(0.5, "sent"), (3, "took_effect")], ids=["at once", "later"])
def test_a_refusal_and_an_interrupt_at_once_are_not_told_apart(tmp_path, after_s, effect):
    """A client records both in the same way: only later than a second, a call that was approved has surely run."""
    ledger = Ledger(tmp_path / "vault" / "state")
    trust = add_approver(tmp_path / "vault" / "state", "ada")
    row = ledger.ask(request(source="hook", tool_use=None))
    ledger.decide(row.id, row.digest, allow(row), trust)
    later = wire_time(datetime.now(UTC) + timedelta(seconds=after_s))
    call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": json.loads(row.request.input)}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": True, "content": REJECTED}
    lines = [
        {"type": "assistant", "timestamp": wire_time(NOON), "message": {"content": [call]}},
        {"type": "user", "timestamp": later, "message": {"content": [result]}, "toolDenialKind": "user-rejected"},
    ]
    file = tmp_path / "claude" / "projects" / "here" / f"{row.request.session}.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))

    Outcomes(ledger, [tmp_path / "claude"]).look()

    found = ledger.row(row.id)
    assert found is not None and (found.state, found.effect) == (State.APPROVED, effect)


@pytest.mark.parametrize("is_recorded", [True, False], ids=["with its decision", "as older clients"])
def test_a_call_that_nobody_answered_is_not_called_denied(tmp_path, is_recorded):
    """If the holder was killed, the client gives up its question: the row says that the asker is gone, and no more."""
    ledger = Ledger(tmp_path / "vault" / "state")
    row = ledger.ask(request(tool_use="toolu_1"))
    ledger.invalidate(row.id, why="who asked is gone")
    call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": json.loads(row.request.input)}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": True, "content": CLOSED}
    decision = {
        "toolDenialKind": "permission-rule",
        "permissionDecision": {"decision": "reject", "source": "config", "reasonType": "other"},
    }
    answered = {"type": "user", "timestamp": wire_time(datetime.now(UTC)), "message": {"content": [result]}}
    lines = [
        {"type": "assistant", "timestamp": wire_time(NOON), "message": {"content": [call]}},
        answered | (decision if is_recorded else {}),
    ]
    file = tmp_path / "claude" / "projects" / "here" / f"{row.request.session}.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))

    Outcomes(ledger, [tmp_path / "claude"]).look()

    found = ledger.row(row.id)
    assert found is not None and (found.state, found.answered, found.note) == (
        State.INVALID,
        None,
        "who asked is gone",
    )
