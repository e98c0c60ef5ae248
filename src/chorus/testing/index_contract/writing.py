"""Writing: the rows are the same, in whatever steps a conversation was written."""

from chorus.keep.vault.memory import MemoryVault
from chorus.testing.builders import Session
from chorus.testing.index_contract.sessions import FIRST_ID, MakeIndex, filled, first, found, second
from chorus.testing.indexes import NEVER, OpenConversation, keep, kept_in, name_of, snapshot, whole, writings_of


def growing_is_the_same_as_whole(make_index: MakeIndex) -> None:
    """A conversation written line by line has the same rows, entries, words and costs as one written at once."""
    session = first()
    vault, index, reference = MemoryVault(), make_index(), make_index()
    opened: OpenConversation | None = None
    grown = Session(FIRST_ID)
    agent = session.agents[0]
    for count in range(1, len(session.lines) + 1):
        grown.lines = session.lines[:count]
        grown.agents = [agent] if count > len(session.lines) - 3 else []
        keep(vault, grown)
        (kept,) = kept_in(vault)
        opened = opened or OpenConversation(vault, kept)
        index.write(opened.writings(kept, saved_since=NEVER))
    name = name_of(session)
    at_once = MemoryVault()
    keep(at_once, session)
    reference.write(whole(at_once))

    assert snapshot(index, [name]) == snapshot(reference, [name])
    for query in ("parse_url", "tool:Bash", "is:error", "caller", "12 passed", "greedy"):
        assert sorted(found(index, query)) == sorted(found(reference, query)), query


def a_whole_writing_replaces(make_index: MakeIndex) -> None:
    """After a conversation is rewritten, its old content is not found any more."""
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
    """Writing the same twice does not change the rows."""
    index = filled(make_index)
    names = [name_of(first()), name_of(second())]
    before = snapshot(index, names)
    index.write(writings_of(first(), second()))

    assert snapshot(index, names) == before
    assert len(found(index, "parse_url")) == 4


def what_is_gone_is_gone(make_index: MakeIndex) -> None:
    """A removed conversation is not found, listed or counted any more; the others stay."""
    index = filled(make_index)
    name = name_of(first())
    index.write([], gone=[name, "w/main/unknown"])

    assert found(index, "parse_url") == []
    assert len(found(index, "deadlock")) == 1
    assert index.conversation(name) is None
    assert name not in index.positions()
    assert {each.conversation for each in index.spent()[0]} == {name_of(second())}
    assert index.files(name) == {}
