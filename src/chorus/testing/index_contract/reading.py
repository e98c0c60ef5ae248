"""Reading without a search: lists, pages, facts."""

from chorus.core.query.parse import parse
from chorus.core.query.tree import Among, And, Node, Not, Or, Query, Word
from chorus.find.index.rows import Position
from chorus.testing.builders import Session, tool_use
from chorus.testing.builders.lines import Clock
from chorus.testing.index_contract.sessions import FIRST_ID, NOW, SECOND_ID, MakeIndex, filled, first, found
from chorus.testing.indexes import name_of, writings_of


def nothing_is_known_at_first(make_index: MakeIndex) -> None:
    """An empty index returns empty answers."""
    index = make_index()

    assert found(index, "anything") == found(index, "") == []
    assert index.conversations(parse("", now=NOW), limit=10) == ([], False)
    assert index.positions() == {}
    assert index.spent() == ([], [], frozenset())
    assert index.conversation("w/main/x") is None
    assert index.page("w/main/x") == [] == list(index.all_entries("w/main/x"))


def conversations_are_listed(make_index: MakeIndex) -> None:
    """The most recent conversation comes first; a query restricts the list, and the list comes in pages."""
    index = filled(make_index)

    def listed(query: str, *, limit: int = 10, start: int = 0) -> tuple[list[str], bool]:
        rows, has_more = index.conversations(parse(query, now=NOW), limit=limit, start=start)
        return [row.id for row in rows], has_more

    assert listed("") == ([SECOND_ID, FIRST_ID], False)
    assert listed("", limit=1) == ([SECOND_ID], True)
    assert listed("", limit=1, start=1) == ([FIRST_ID], False)
    assert listed("parse_url") == listed("workspace:parser") == ([FIRST_ID], False)
    assert listed("github") == ([SECOND_ID, FIRST_ID], False)
    assert listed("github", limit=1) == ([SECOND_ID], True)
    assert listed("nowhere") == ([], False)


def some_conversations_are_asked(make_index: MakeIndex) -> None:
    """A query can name conversations, alone or together with words; each conversation has a status and a time."""
    index = filled(make_index)
    rows, _ = index.conversations(Query(None), limit=10)
    names = {row.id: row.name for row in rows}

    def listed(root: Node) -> list[str]:
        return [row.id for row in index.conversations(Query(root), limit=10)[0]]

    one, none = Among(frozenset({names[FIRST_ID], "w/main/x"})), Among(frozenset())
    assert listed(one) == [FIRST_ID] == listed(And((Word("github"), one)))
    assert listed(Not(one)) == [SECOND_ID] == listed(And((Word("github"), Not(one))))
    assert listed(none) == [] == listed(And((Word("github"), none)))
    assert listed(Or((one, Word("nowhere")))) == [FIRST_ID]
    assert {hit.conversation for hit in index.search(Query(And((Word("github"), one))), limit=9).hits} == {
        names[FIRST_ID]
    }
    titled = [(row.name, row.client_title, row.session.ended_at) for row in rows if row.client_title]
    assert sorted(index.client_titles()) == sorted(titled)
    assert sorted(index.statuses()) == sorted((row.name, row.status, row.session.ended_at) for row in rows)


def pages_are_in_order(make_index: MakeIndex) -> None:
    """Entries come in the order of the conversation, from any key in both directions."""
    index = make_index()
    session = Session(FIRST_ID)
    for n in range(260):
        session.user(f"prompt {n}")
        session.assistant(f"answer {n}")
    index.write(writings_of(session))
    name = name_of(session)
    every = list(index.all_entries(name))
    keys = [entry.key for entry in every]

    assert len(every) == 520
    assert keys == sorted(keys)
    for n in (0, 1, 77, 300, 519):
        after = [entry.id for entry in index.page(name, after=keys[n], limit=50)]
        before = [entry.id for entry in index.page(name, before=keys[n], limit=50)]
        assert after == [entry.id for entry in every[n + 1 : n + 51]]
        assert before == [entry.id for entry in every[max(0, n - 50) : n]]
    assert [entry.id for entry in index.page(name, limit=9)] == [entry.id for entry in every[:9]]
    assert len(index.page(name, limit=10_000)) == 200


def entries_are_found_by_number(make_index: MakeIndex) -> None:
    """Each number returns the entry that has it; unknown numbers return nothing."""
    index = make_index()
    sessions = [Session(f"{n:08x}-0000-4000-8000-000000000000", clock=Clock(step_ms=40)) for n in range(20)]
    for session in sessions:
        for n in range(45):
            session.user(f"prompt {n}")
            session.assistant(f"answer {n}", tool_use("Bash", {"command": "true"}, id=f"{session.id}{n}"))
            session.tool_result(f"{session.id}{n}", "done")
    index.write(writings_of(*sessions))
    every = [entry for session in sessions for entry in index.all_entries(name_of(session))]
    numbered = {entry.number: entry for entry in every if entry.number}
    last = max(numbered)

    assert len(numbered) == 20 * 45 * 3
    assert index.entries(numbered) == numbered
    assert index.entries([0, last, 7, last, last + 1]) == {last: numbered[last]}


def facts_are_kept(make_index: MakeIndex) -> None:
    """Positions, saved states, files and names are returned as they were written."""
    index = make_index()
    (writing,) = writings_of(first())
    writing.state = b"saved"
    index.write([writing])
    name = writing.row.name

    assert index.positions() == {name: writing.positions}
    assert index.state(name) == b"saved"
    assert index.state("w/main/x") is None
    assert index.files(name) == {
        "/home/dev/parser": False,
        "/home/dev/parser/src/app/main.py": True,
    }
    assert index.names("tool") == ["Bash", "Edit", "Grep", "Read", "Task"]
    assert index.conversation(name) == writing.row
    moved = {name: {"session": Position(1, 2, 3, 4)}}
    index.move(moved)
    assert index.positions() == moved
