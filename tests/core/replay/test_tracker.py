"""Tests that the state at a moment is the fold of the records up to it, and nothing else."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.fold import Fold
from chorus.core.records.record import Record
from chorus.core.replay.moments import merged
from chorus.core.replay.panel import Panel, changed
from chorus.core.replay.panel_of_fold import panel_of
from chorus.core.replay.tracker import Tracker
from chorus.core.spending.rates import Prices
from tests.core.conversation.talks import Talk, interleaved

PRICES = Prices.load()


def assert_panels(records: list[Record], cuts: set[int]) -> None:
    """Folds the records, and checks at each cut that the panel from the changes equals the panel of the whole fold."""
    fold, conversation = Fold("s"), Conversation("s")
    tracker, panel = Tracker(fold, PRICES), Panel()
    for number, record in enumerate(records):
        changes = fold.feed(record)
        conversation.apply(changes)
        change = tracker.take(number, record, changes)
        panel = changed(panel, [change]) if change else panel
        if number in cuts:
            assert panel == panel_of(fold, conversation, PRICES)
            assert panel == tracker.panel


@given(st.integers(0, 2**32), st.integers(0, 2**32))
def test_the_panel_follows_every_record_of_any_interleaving(seed: int, order: int) -> None:
    """After each record, the panel that is made of small changes equals the panel of a fold of these records."""
    records = list(interleaved(Talk(seed, steps=16).streams(), Random(order)))

    assert_panels(records, set(range(len(records))))


@given(st.integers(0, 2**32))
def test_streams_are_replayed_in_the_order_of_their_times(seed: int) -> None:
    """The merged records have rising keys, contain every record once, and keep the order of each stream."""
    streams = Talk(seed).streams()
    fold = Fold("s")

    def latest(stream: str) -> str:
        known = fold.state.streams.get(stream)
        return known.latest if known else ""

    placed = []
    for each in merged(streams.values(), latest):
        fold.feed(each.record)
        placed.append(each)

    assert [each.key for each in placed] == sorted(each.key for each in placed)
    assert [each.id for each in placed] == sorted(each.id for each in placed)
    for name, records in streams.items():
        assert [each.record for each in placed if each.record.stream == name] == records
