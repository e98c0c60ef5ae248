"""The three properties that the index, the live view and replay stand on."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from chorus.conversation.conversation import Conversation
from chorus.conversation.fold import Fold
from tests.conversation.talks import Talk, folded, interleaved

seeds = st.integers(min_value=0, max_value=2**32)


@given(seeds)
def test_changes_applied_one_by_one_give_what_folding_at_once_gives(seed: int) -> None:
    """A consumer that applies each change alone ends with the conversation of one that applies all of them together."""
    records = [record for stream in Talk(seed).streams().values() for record in stream]
    fold, step_by_step = Fold("s"), Conversation("s")
    everything = []
    for record in records:
        for change in fold.feed(record):
            everything.append(change)
            step_by_step.apply([change])
    at_once = Conversation("s")
    at_once.apply(everything)

    assert step_by_step == at_once
    assert step_by_step == folded(records)


@given(seeds, st.data())
def test_a_fold_goes_on_from_its_dump_at_any_cut(seed: int, data: st.DataObject) -> None:
    """Written to bytes and read back at any record, a fold goes on as if nothing had happened."""
    records = [record for stream in Talk(seed).streams().values() for record in stream]
    cuts = data.draw(st.frozensets(st.integers(0, max(len(records) - 1, 0)), max_size=4))

    assert folded(records, cuts=cuts) == folded(records)


@given(seeds, seeds)
def test_any_interleaving_of_streams_gives_the_same_conversation(seed: int, order: int) -> None:
    """Whichever stream is read first, and however they alternate, the conversation is the same."""
    streams = Talk(seed).streams()
    in_turn = folded([record for stream in streams.values() for record in stream])

    assert folded(list(interleaved(streams, Random(order)))) == in_turn
    assert folded([record for stream in reversed(streams.values()) for record in stream]) == in_turn
