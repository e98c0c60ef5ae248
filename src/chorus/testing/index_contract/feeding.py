"""What the feed tells of changes."""

from chorus.keep.vault.memory import MemoryVault
from chorus.testing.builders import Session
from chorus.testing.index_contract.talks import FIRST_ID, MakeIndex, first, second
from chorus.testing.indexes import NEVER, OpenConversation, keep, kept_in, name_of, writings_of


def the_feed_has_no_gap(make_index: MakeIndex) -> None:
    """Who goes on from a place learns of all that changed since; who comes from elsewhere reads everything anew."""
    index = make_index()
    start = index.feed(index.epoch, 0)
    assert (start.events, start.is_broken) == ([], False)
    talk = first()
    index.write(writings_of(talk))
    first_look = index.feed(index.epoch, start.seq)
    assert {event.conversation for event in first_look.events} == {name_of(talk)}
    assert index.feed(index.epoch, first_look.seq).events == []
    index.write(writings_of(second()))
    second_look = index.feed(index.epoch, first_look.seq)
    assert {event.conversation for event in second_look.events} == {name_of(second())}
    assert [event.seq for event in (*first_look.events, *second_look.events)] == list(range(1, second_look.seq + 1))
    assert index.feed("another", 0).is_broken
    assert index.feed(index.epoch, second_look.seq + 1).is_broken


def growth_is_told_entry_by_entry(make_index: MakeIndex) -> None:
    """A line that is added is told by the entries it changed."""
    index, vault = make_index(), MemoryVault()
    talk = Session(FIRST_ID)
    talk.user("begin")
    keep(vault, talk)
    (kept,) = kept_in(vault)
    opened = OpenConversation(vault, kept)
    seq = index.write(opened.writings(kept, saved_since=NEVER))
    line = talk.user("and go on")
    keep(vault, talk)
    (kept,) = kept_in(vault)
    index.write(opened.writings(kept, saved_since=NEVER))

    events = index.feed(index.epoch, seq).events
    assert [event.item for event in events] == [line["uuid"]]
    assert [(event.order, event.item) for event in events] == [each.key for each in index.all_entries(kept.name)][1:]
