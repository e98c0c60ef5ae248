"""Tests that numbers that no API can return are shown and not added."""

import pytest

from chorus.core.conversation.items import Tokens
from chorus.core.views.notices import doubtful
from chorus.testing.builders import Run, Session
from chorus.testing.builders.lines import usage
from tests.core.conversation.reading import conversation

IMPOSSIBLE = (10**12, 10**30, -1, 20_000_001)


@pytest.mark.parametrize("number", IMPOSSIBLE)
def test_an_impossible_usage_adds_nothing(number):
    """An impossible usage is not added to the message or to the sum, but the message shows what its record states."""
    session = Session()
    session.user("go")
    session.assistant("a", message_id="m1", tokens=usage(given=10, said=number), stop="end_turn")
    session.assistant("b", message_id="m2", tokens=usage(given=1, said=2), stop="end_turn")

    talk = conversation(session)

    assert talk.tokens == Tokens(input=1, output=2)
    first = next(message for message in talk.messages if message.message_id == "m1")
    assert first.tokens is None
    assert first.doubt == f"output {number:,}"


def test_a_line_that_can_be_true_still_counts():
    """If a message has a possible and an impossible usage, the possible one counts."""
    session = Session()
    session.assistant("a", message_id="m1", tokens=usage(said=7))
    session.assistant("b", message_id="m1", tokens=usage(said=10**15))

    assert conversation(session).tokens.output == 7


@pytest.mark.parametrize("usd", [25_000_000.0, -1.0, 1e300])
def test_an_impossible_cost_is_not_reported(usd):
    """An impossible cost is shown at its turn and left out of the reported cost."""
    run = Run()
    run.result("done", total_cost_usd=usd)
    run.result("done", total_cost_usd=0.25)

    talk = conversation(run)

    assert talk.reported_cost_usd == 0.25
    first, second = sorted(talk.turns, key=lambda turn: turn.place.offset)
    assert second.doubt is None
    assert first.doubt and "not counted" in doubtful(first.doubt).text
