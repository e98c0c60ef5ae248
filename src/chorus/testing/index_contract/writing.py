"""What a writing leaves: the same rows, however a conversation came in."""

from chorus.keep.vault.memory import MemoryVault
from chorus.testing.builders import Session
from chorus.testing.index_contract.talks import FIRST_ID, MakeIndex, filled, first, found, second
from chorus.testing.indexes import NEVER, OpenConversation, keep, kept_in, name_of, snapshot, whole, writings_of


def growing_is_the_same_as_whole(make_index: MakeIndex) -> None:
    """A conversation taken in line by line ends as the one taken in at once: rows, entries, words and money."""
    talk = first()
    vault, index, reference = MemoryVault(), make_index(), make_index()
    opened: OpenConversation | None = None
    grown = Session(FIRST_ID)
    agent = talk.agents[0]
    for count in range(1, len(talk.lines) + 1):
        grown.lines = talk.lines[:count]
        grown.agents = [agent] if count > len(talk.lines) - 3 else []
        keep(vault, grown)
        (kept,) = kept_in(vault)
        opened = opened or OpenConversation(vault, kept)
        index.write(opened.writings(kept, saved_since=NEVER))
    name = name_of(talk)
    at_once = MemoryVault()
    keep(at_once, talk)
    reference.write(whole(at_once))

    assert snapshot(index, [name]) == snapshot(reference, [name])
    for query in ("parse_url", "tool:Bash", "is:error", "caller", "12 passed", "greedy"):
        assert sorted(found(index, query)) == sorted(found(reference, query)), query


def a_whole_writing_replaces(make_index: MakeIndex) -> None:
    """What a conversation no longer says is no longer found."""
    index = filled(make_index)
    short = Session(FIRST_ID, cwd="/home/dev/parser")
    short.user("Another beginning")
    index.write(writings_of(short))

    assert found(index, "parse_url") == []
    assert len(found(index, "beginning")) == 1
    assert len(list(index.all_entries(name_of(short)))) == 1
    index.write(writings_of(first()))
    assert len(found(index, "parse_url")) == 4


def writing_again_changes_nothing(make_index: MakeIndex) -> None:
    """The same writings twice leave the same rows."""
    index = filled(make_index)
    names = [name_of(first()), name_of(second())]
    before = snapshot(index, names)
    index.write(writings_of(first(), second()))

    assert snapshot(index, names) == before
    assert len(found(index, "parse_url")) == 4


def what_is_gone_is_gone(make_index: MakeIndex) -> None:
    """A conversation that is dropped is found, listed and counted no more; the other stays."""
    index = filled(make_index)
    name = name_of(first())
    index.write([], gone=[name, "w/main/unknown"])

    assert found(index, "parse_url") == []
    assert len(found(index, "deadlock")) == 1
    assert index.conversation(name) is None
    assert name not in index.positions()
    assert {each.conversation for each in index.spent()[0]} == {name_of(second())}
    assert index.files(name) == {}
