"""Tests the search in one conversation."""

from datetime import UTC, datetime

import pytest

from chorus.core.query.parse import parse
from chorus.find.index.memory import MemoryIndex
from chorus.find.index.port import Index
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.indexing.index_keeper import IndexKeeper
from chorus.find.indexing.open_conversation import OpenConversation
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.memory import MemoryVault
from chorus.show.transcripts.find_in_conversation import find_in, within
from chorus.show.transcripts.keys import BadCursor
from chorus.testing.builders import Session, tool_use
from chorus.testing.indexes import keep, name_of, whole
from tests.find.search.asking import session
from tests.show.transcripts.reading import Read, read

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def found_by(found, text, **more):
    return [hit.id for hit in find_in(found.opened, found.index, parse(text, now=NOW), **more).hits]


def test_in_the_order_of_the_conversation(tmp_path):
    """Hits are in the order of the conversation.

    A hit in a call is shown at the message that made the call, and each row appears once.
    """
    talk = Session()
    first = talk.user("a needle")
    made = talk.assistant("look", tool_use("Bash", {"command": "grep needle"}, id="call"))[0]["message"]["id"]
    talk.user("nothing here")
    talk.tool_result("call", "needle needle")
    last = talk.user("the last needle")
    found = read(tmp_path, talk)

    assert found_by(found, "needle") == [first["uuid"], made, last["uuid"]]
    assert found_by(found, "needle", limit=2) == [first["uuid"], made]
    assert find_in(found.opened, found.index, parse("needle", now=NOW), limit=2).has_more
    assert found_by(found, "needle", start=2) == [last["uuid"]]
    assert found_by(found, "needle role:tool") == [made]
    assert found_by(found, "regex:/need.e/") == [first["uuid"], made, last["uuid"]]
    assert found_by(found, "") == []


@pytest.mark.parametrize("query", ["regex:/need.e/", "tool:Bash -> tool:Bash", "needles", "regex:/^nowhere$/"])
def test_a_find_that_was_cut_says_so_and_goes_on(tmp_path, query):
    """A search that always runs out of time can be continued until it ends, and finds every hit."""
    talk = Session()
    for n in range(150):
        talk.user(f"needle {n}" if n % 3 else f"nothing {n}")
        if n % 10 == 0:
            talk.assistant(tool_use("Bash", {"command": f"say {n}"}, id=f"t{n}"))
            talk.tool_result(f"t{n}", "said")
    found, asked = read(tmp_path, talk), parse(query, now=NOW)
    index = SqliteIndex.build(tmp_path)
    index.write(OpenConversation(found.vault, found.kept).writings(found.kept, saved_since="9"))
    opened = found.transcripts.of(index, found.kept.name)
    assert opened is not None
    every = [hit.id for hit in find_in(opened, index, asked).hits]
    seen, after, answers = set[str](), None, 0
    while True:
        answer = find_in(opened, index, asked, after=after, is_late=lambda: True)
        seen |= {hit.id for hit in answer.hits}
        after, answers = answer.next, answers + 1
        if after is None:
            break
    index.close()

    assert seen == set(every)
    assert answers > 1 or not query.startswith(("regex", "tool"))


def test_what_is_no_place_to_go_on_from_is_refused(tmp_path):
    """An invalid cursor is refused, because everybody can write an address."""
    talk = Session()
    talk.user("needle")
    found = read(tmp_path, talk)

    with pytest.raises(BadCursor):
        find_in(found.opened, found.index, parse("needle", now=NOW), after="nonsense")


def test_of_one_thread(tmp_path):
    """A search in a sub-agent's thread finds only the hits of this thread."""
    talk = Session()
    talk.user("a needle")
    talk.assistant(tool_use("Agent", {"prompt": "look", "description": "d"}, id="agent"))
    agent = talk.agent("a1", "agent")
    inner = agent.user("another needle")
    found = read(tmp_path, talk)

    assert found_by(found, "needle", thread="a1") == [f"a1/{inner['uuid']}"]
    assert len(found_by(found, "needle", thread="")) == 1
    assert len(found_by(found, "needle")) == 2


def test_of_this_conversation_alone(tmp_path):
    """Other conversations are not searched, and words in different entries of this one are no hit."""
    vault = MemoryVault()
    mine, other = session(1), session(2)
    mine.user("needle")
    mine.user("haystack")
    other.user("needle haystack")
    keep(vault, mine)
    keep(vault, other)
    found = Read(vault, tmp_path, name_of(mine))
    found.index.write(writing for writing in whole(vault) if writing.row.name == name_of(other))
    assert len(found_by(found, "needle")) == 1
    assert found_by(found, "needle haystack") == []


@pytest.mark.parametrize("query", ["tool:Bash -> tool:Edit", "tool:Edit"])
def test_sequences(tmp_path, query):
    """A sequence of calls is found in one conversation in the same way as in all."""
    talk = Session()
    talk.assistant(tool_use("Bash", {"command": "a"}, id="c1"))
    edit = talk.assistant(tool_use("Edit", {"file_path": "/a"}, id="c2"))[0]["message"]["id"]
    found = read(tmp_path, talk)

    assert edit in found_by(found, query)


@pytest.mark.parametrize("kind", ["memory", "SQLite"])
def test_an_index_is_asked_for_one_conversation(tmp_path, kind):
    """Every index searches only the given conversation, even if another one has more matches."""
    mine, other = session(1), session(2)
    mine.user("needle")
    for _ in range(5):
        other.user("needle haystack")
    vault = FileVault(tmp_path / "vault")
    keep(vault, mine)
    keep(vault, other)
    keeper = IndexKeeper(vault, saved_since="9999")
    keeper.catch_up()
    memory = MemoryIndex()
    memory.write(whole(vault))
    index: Index = memory if kind == "memory" else keeper.index
    query = within(parse("needle -haystack", now=NOW), name_of(other))
    assert query is not None

    assert index.search(query, limit=10).hits == []
    query = within(parse("needle", now=NOW), name_of(mine))
    assert query is not None
    assert [hit.conversation for hit in index.search(query, limit=10).hits] == [name_of(mine)]
    keeper.close()
