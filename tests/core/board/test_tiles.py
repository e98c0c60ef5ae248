"""Tests of the words by which a tile says why it needs a person."""

import pytest

from chorus.core.board.facts import LiveFacts, RequestFact
from chorus.core.board.tiles import reasons_of


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ("Bash", "asks for permission: Bash"),
        ("AskUserQuestion", "asks a question"),
        ("ExitPlanMode", "shows a plan"),
    ],
)
def test_a_request_says_what_it_is_about(tool, text):
    """A question and a plan are named as such, also while they are requests of the ledger."""
    live = LiveFacts(requests=(RequestFact(id="r1", tool=tool, since="2026-01-05T12:00:00.000Z"),))

    (reason,) = reasons_of(live, (), None)

    assert (reason.text, reason.request) == (text, "r1")
