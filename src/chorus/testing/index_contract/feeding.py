"""The change feed."""

from chorus.keep.vault.memory import MemoryVault
from chorus.testing.builders import Session
from chorus.testing.index_contract.sessions import FIRST_ID, MakeIndex, first, second
from chorus.testing.indexes import NEVER, OpenConversation, keep, kept_in, name_of, writings_of


def the_feed_has_no_gap(make_index: MakeIndex) -> None:
    """A reader that continues from a number gets every later change; one with an unknown number must read all again."""
    index = make_index()
    start = index.feed(index.epoch, 0)
    assert (start.events, start.is_broken) == ([], False)
    session = first()
    index.write(writings_of(session))
    first_look = index.feed(index.epoch, start.seq)
    assert {event.conversation for event in first_look.events} == {name_of(session)}
    assert index.feed(index.epoch, first_look.seq).events == []
    index.write(writings_of(second()))
    second_look = index.feed(index.epoch, first_look.seq)
    assert {event.conversation for event in second_look.events} == {name_of(second())}
    assert [event.seq for event in (*first_look.events, *second_look.events)] == list(range(1, second_look.seq + 1))
    assert index.feed("another", 0).is_broken
    assert index.feed(index.epoch, second_look.seq + 1).is_broken


def growth_is_reported_entry_by_entry(make_index: MakeIndex) -> None:
    """After a line is added, the feed names exactly the entries that it changed."""
    index, vault = make_index(), MemoryVault()
    session = Session(FIRST_ID)
    session.user("begin")
    keep(vault, session)
    (kept,) = kept_in(vault)
    opened = OpenConversation(vault, kept)
    seq = index.write(opened.writings(kept, saved_since=NEVER))
    line = session.user("and go on")
    keep(vault, session)
    (kept,) = kept_in(vault)
    index.write(opened.writings(kept, saved_since=NEVER))

    events = index.feed(index.epoch, seq).events
    assert [event.item for event in events] == [line["uuid"]]
    assert [(event.order, event.item) for event in events] == [each.key for each in index.all_entries(kept.name)][1:]
