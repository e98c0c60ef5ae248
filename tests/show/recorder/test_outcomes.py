"""Tests of outcomes: what the client's session file says about a request is what its row says."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from chorus.core.records.times import wire_time
from chorus.show.recorder.outcomes import Outcomes
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.model import State
from tests.steer.approvals.samples import NOON, add_approver, allow, request

REJECTED = "The user doesn't want to proceed with this tool use. The tool use was rejected."
BY_HOOK = {
    "type": "hook_permission_decision",
    "decision": "allow",
    "toolUseID": "toolu_1",
    "hookEvent": "PermissionRequest",
}
KIND = {"toolDenialKind": "user-rejected"}


@pytest.fixture
def seen_by_client(tmp_path):
    """Approves a request on the page, then lets the client write; returns a function that returns the row."""
    ledger = Ledger(tmp_path / "vault" / "state")
    trust = add_approver(tmp_path / "vault" / "state", "ada")
    row = ledger.ask(request(source="hook", tool_use=None))
    ledger.decide(row.id, row.digest, allow(row), trust)

    def write(*attached, **more):
        """Writes the call, attachments, and a result that reads like a refusal by a person."""
        later = wire_time(datetime.now(UTC) + timedelta(seconds=2))
        call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": json.loads(row.request.input)}
        result = {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": True, "content": REJECTED}
        lines = [
            {"type": "assistant", "timestamp": wire_time(NOON), "message": {"content": [call]}},
            *({"type": "attachment", "timestamp": later, "attachment": each} for each in attached),
            {"type": "user", "timestamp": later, "message": {"content": [result]}, **more},
        ]
        file = tmp_path / "claude" / "projects" / "here" / f"{row.request.session}.jsonl"
        file.parent.mkdir(parents=True)
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        (found,) = Outcomes(ledger, [tmp_path / "claude"]).look()
        return found

    return write


def test_an_approval_that_the_client_did_not_take_is_not_called_one_that_took_effect(seen_by_client):
    """A client that writes down answers of hooks, but not this one, was denied in the terminal, however late it was."""
    row = seen_by_client(**KIND)

    assert (row.state, row.effect) == (State.ANSWERED, "sent")
    assert row.note.startswith("answered in the terminal: denied; the approval from ")


def test_an_approved_call_that_was_interrupted_took_effect(seen_by_client):
    """If the client wrote that the hook had answered, the refusal that follows is an interrupt of the running call."""
    row = seen_by_client(BY_HOOK, **KIND)

    assert (row.state, row.effect) == (State.APPROVED, "took_effect")


def test_an_older_client_leaves_it_open_and_the_approval_stands(seen_by_client):
    """A client that writes neither who answered nor how is believed to have taken an approval that was there before."""
    row = seen_by_client()

    assert (row.state, row.effect) == (State.APPROVED, "took_effect")
