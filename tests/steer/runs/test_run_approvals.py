"""Tests of how the requests of a run reach the ledger, and of whom a run trusts."""

import pytest

from chorus.core.protocol.launch import Launch
from chorus.errors import SourceUnreadable
from chorus.steer.approvals.approvers import NAME, ApproversFile
from chorus.steer.runs.approvals import LedgerApprovals
from chorus.steer.runs.run_folders import Run
from tests.steer.approvals.samples import add_approver, key, leaving


def test_a_run_trusts_nobody_if_the_removal_of_an_approver_was_cut_off(tmp_path):
    """Without the line that removed an approver, the list would name that approver again: no run begins with it."""
    state = tmp_path / "state"
    add_approver(state, "ada")
    key("bob")
    add_approver(state, "bob", by="ada")
    ApproversFile(state).append(lambda _found, head: leaving("bob", "ada", head))
    LedgerApprovals(run_in(tmp_path), lambda: "2026-01-05T12:00:00.000Z")
    file = state / NAME
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:-1]))

    with pytest.raises(SourceUnreadable, match="doctor --accept"):
        LedgerApprovals(run_in(tmp_path), lambda: "2026-01-05T12:00:00.000Z")


def run_in(folder):
    return Run(
        id="run-1",
        started_at="",
        path=str(folder),
        workspace="shop",
        agent="main",
        launch=Launch(session="s"),
        program="",
        vault=str(folder),
        state=str(folder / "state"),
    )
