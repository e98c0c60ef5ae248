"""Tests which status a conversation has after its run ended."""

import pytest

from chorus.core.board.ended_runs import status_after
from chorus.core.board.facts import RunFact
from chorus.core.conversation.items import Status

BEFORE, ENDED, AFTER = (f"2026-03-02T15:00:0{second}.000Z" for second in range(3))


def run(state="ended", *, is_failure=False, ended_at=ENDED):
    return RunFact(id="r", state=state, is_failure=is_failure, ended_at=ended_at)


@pytest.mark.parametrize(
    ("known", "status", "last_at", "expected"),
    [
        (run(), "waiting for permission", BEFORE, "interrupted"),
        (run(), "waiting for permission", None, "interrupted"),
        (run(), "editing", ENDED, "interrupted"),
        (run(is_failure=True), "waiting for permission", BEFORE, "failed"),
        (run("lost", ended_at=None), "running", BEFORE, "failed"),
        (run(), "waiting for permission", AFTER, "waiting for permission"),
        (run("waiting", ended_at=None), "waiting for permission", BEFORE, "waiting for permission"),
        (None, "waiting for permission", BEFORE, "waiting for permission"),
        (run(is_failure=True), "done", BEFORE, "done"),
        (run(), "damaged", BEFORE, "damaged"),
    ],
)
def test_the_last_fact_counts(known, status, last_at, expected):
    """A run that ended in the middle of something ended it too, unless something was recorded afterwards."""
    assert status_after(known, status, last_at) == expected


@pytest.mark.parametrize("status", [each.value for each in Status])
def test_an_ended_run_leaves_nothing_open(status):
    """After a run ended, no status says that somebody works or waits."""
    assert status_after(run(), status, BEFORE) in {"done", "failed", "idle", "interrupted"}
