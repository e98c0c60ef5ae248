"""Builds replays of records in memory, and compares their states with panels of a fold."""

from bisect import bisect_right
from random import Random

from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.fold import Fold
from chorus.core.records.record import Record
from chorus.core.replay.moments import PlacedRecord, merged
from chorus.core.replay.panel_of_fold import panel_of
from chorus.core.replay.replay import Replay
from chorus.core.spending.rates import Prices

PRICES = Prices.load()


def replayed(streams: list[list[Record]]) -> tuple[Replay, list[PlacedRecord]]:
    """Returns the replay of these streams, and their records in the order of the replay."""
    replay = Replay("s", PRICES)
    placed: list[PlacedRecord] = []
    for each in merged(streams, replay.latest_of):
        replay.feed(each)
        placed.append(each)
    return replay, placed


def assert_states(streams: list[list[Record]], cuts: int, random: Random, *, fresh: int = 3) -> int:
    """Checks at random cuts that the state of the replay is the panel of a fold of exactly the records up to the cut.

    For `fresh` of the cuts the records are folded again from the start. Returns how many cuts were compared.
    """
    replay, placed = replayed(streams)
    chosen = {random.randrange(len(placed)) for _ in range(cuts)} if placed else set[int]()
    anew = set(random.sample(sorted(chosen), min(fresh, len(chosen))))
    fold, conversation = Fold("s"), Conversation("s")
    for number, each in enumerate(placed):
        conversation.apply(fold.feed(each.record))
        if number not in chosen:
            continue
        moment = bisect_right(replay.ids, each.id) - 1
        assert replay.state(moment) == panel_of(fold, conversation, PRICES), each.id
        if number in anew:
            again, told = Fold("s"), Conversation("s")
            for earlier in placed[: number + 1]:
                told.apply(again.feed(earlier.record))
            assert replay.state(moment) == panel_of(again, told, PRICES), each.id
    return len(chosen)
