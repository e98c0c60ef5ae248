"""What every back end of the index must do: run it on yours, as with `chorus.testing.vault_contract`."""

from collections.abc import Callable
from datetime import UTC, datetime

from chorus.conversation import items
from chorus.errors import QueryError
from chorus.index.port import Index
from chorus.index.rows import Entry, Position
from chorus.query.parse import parse
from chorus.store.memory import MemoryVault
from chorus.testing.builders import Session, image, text, thinking, tool_use
from chorus.testing.builders.lines import Clock, usage
from chorus.testing.indexes import NEVER, Opened, keep, kept_in, name_of, snapshot, whole, writings_of

MakeIndex = Callable[[], Index]
Behaviour = Callable[[MakeIndex], None]
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
FIRST_ID, SECOND_ID, THIRD_ID = (f"{n}0000000-1111-4222-8333-444455556666" for n in "abc")


def first() -> Session:
    """A session about a parser: a prompt, thinking, calls that fail and succeed, a sub-agent."""
    talk = Session(FIRST_ID, cwd="/home/dev/parser", branch="fix/url", clock=Clock("2026-02-01T10:00:00.000Z"))
    talk.user("Please fix parse_url in src/app/main.py; it drops the café parameter.")
    talk.assistant(
        thinking("The regular expression is greedy."),
        text("I will read `parseUrl` first, as on GitHub."),
        tool_use("Read", {"file_path": "/home/dev/parser/src/app/main.py"}, id="toolu_read"),
        stop="tool_use",
    )
    talk.tool_result("toolu_read", "def parse_url(text):\n    return text.split('?')[0]\n")
    talk.assistant(tool_use("Bash", {"command": "pytest -q tests"}, id="toolu_test"), stop="tool_use")
    talk.tool_result("toolu_test", "1 failed: test_query_parameters", is_error=True)
    edit = {"file_path": "/home/dev/parser/src/app/main.py", "old_string": "[0]", "new_string": "[-1]"}
    talk.assistant(tool_use("Edit", edit, id="toolu_edit"), stop="tool_use")
    talk.tool_result("toolu_edit", "The file was updated.")
    talk.assistant(tool_use("Bash", {"command": "pytest -q tests"}, id="toolu_again"), stop="tool_use")
    talk.tool_result("toolu_again", "12 passed")
    talk.assistant(tool_use("Task", {"prompt": "look for other callers"}, id="toolu_task"), stop="tool_use")
    helper = talk.agent("a1", "toolu_task")
    helper.user("look for other callers")
    helper.assistant(tool_use("Grep", {"pattern": "parse_url", "path": "/home/dev/parser"}, id="toolu_grep"))
    helper.tool_result("toolu_grep", "src/other.py:7")
    helper.assistant("There is one caller, in other.py.", stop="end_turn")
    talk.tool_result("toolu_task", "There is one caller, in other.py.")
    talk.assistant("Fixed. 搜索引擎 also works now.", stop="end_turn")
    return talk


def second() -> Session:
    """A later session about a database, with an image."""
    talk = Session(
        SECOND_ID, cwd="/home/dev/shop", branch="main", model="claude-opus-4-8", clock=Clock("2026-02-20T08:00:00.000Z")
    )
    talk.user([text("The deadlock in PostgreSQL is back, see the picture."), image()])
    talk.assistant("Which migration ran before it?", stop="end_turn", tokens=usage(said=77))
    talk.user("0042_orders, the one that GitHub shows as green.")
    talk.assistant(
        tool_use("Bash", {"command": "psql -c 'select 1'"}, id="toolu_sql"), stop="tool_use", tokens=usage(said=5)
    )
    talk.tool_result("toolu_sql", "ok")
    return talk


def filled(make_index: MakeIndex) -> Index:
    index = make_index()
    index.write(writings_of(first(), second()))
    return index


def found(index: Index, query: str, *, limit: int = 100) -> list[str]:
    """The ids of the entries that answer, newest first."""
    answer = index.search(parse(query, now=NOW), limit=limit, text_of=lambda _name, entry: written(entry))
    entries = index.entries(hit.number for hit in answer.hits)
    return [entries[hit.number].id for hit in answer.hits]


def written(entry: Entry) -> str:
    """Stands for the text of an entry where there is no vault."""
    return entry.item.tool_use_id if isinstance(entry.item, items.Call) else entry.id


def nothing_is_known_at_first(make_index: MakeIndex) -> None:
    """An empty index gives empty answers."""
    index = make_index()

    assert found(index, "anything") == found(index, "") == []
    assert index.conversations(parse("", now=NOW), limit=10) == ([], False)
    assert index.positions() == {}
    assert index.spent() == ([], [], frozenset())
    assert index.conversation("w/main/x") is None
    assert index.page("w/main/x") == [] == list(index.all_entries("w/main/x"))


def words_are_found(make_index: MakeIndex) -> None:
    """Words, their parts, other scripts, phrases, prefixes and their opposites lead to the entries that say them."""
    index = filled(make_index)
    calls = {"call:toolu_read", "call:toolu_grep"}

    assert calls < set(found(index, "parse_url")) == set(found(index, "parseUrl"))
    assert len(found(index, "parse_url")) == 4
    assert len(found(index, "parseurl")) == 1
    assert len(found(index, "cafe")) == len(found(index, "CAFÉ")) == 1
    assert len(found(index, "搜索")) == 1
    assert found(index, "索搜") == []
    assert len(found(index, "github")) == 2
    assert len(found(index, "hub")) == 2
    assert len(found(index, "postgresql")) == len(found(index, '"deadlock in postgresql"')) == 1
    assert found(index, '"deadlock postgresql"') == []
    assert len(found(index, "dead*")) == len(found(index, '"deadlock in postg"*')) == 1
    assert len(found(index, "src/app/main.py")) == 3
    assert set(found(index, "parse_url -tool:Grep")) == set(found(index, "parse_url")) - {"call:toolu_grep"}
    assert set(found(index, "deadlock OR caller")) == set(found(index, "deadlock")) | set(found(index, "caller"))
    assert found(index, "parse_url deadlock -parse_url") == []


def fields_are_asked(make_index: MakeIndex) -> None:
    """Each field finds the entries it says, alone and together."""
    index = filled(make_index)

    assert found(index, "tool:bash") == ["call:toolu_sql", "call:toolu_again", "call:toolu_test"]
    assert found(index, "tool:bash is:error") == found(index, "is:error") == ["call:toolu_test"]
    assert found(index, "tool:E*") == found(index, "tool:Edit,Write") == ["call:toolu_edit"]
    assert found(index, "file:main.py") == found(index, "file:app/*.py") == ["call:toolu_edit", "call:toolu_read"]
    assert found(index, "file:*.ts") == []
    assert len(found(index, "is:subagent")) == 4
    assert found(index, "is:subagent role:tool") == ["call:toolu_grep"]
    assert len(found(index, "is:prompt")) == len(found(index, "role:user -is:subagent")) == 3
    assert len(found(index, "has:image")) == len(found(index, "has:thinking")) == 1
    assert len(found(index, "model:opus")) == 2
    assert (
        set(found(index, "workspace:shop")) == set(found(index, "branch:main")) == set(found(index, "after:2026-02-10"))
    )
    assert set(found(index, "-workspace:shop")) == set(found(index, "before:2026-02-10"))
    assert found(index, "on:2026-02-05") == []
    assert len(found(index, "agent:main")) == len(found(index, ""))
    assert found(index, "messages>4 role:user -is:subagent") == found(index, "branch:fix role:user -is:subagent")
    assert found(index, "(workspace:shop OR tool:Grep) role:tool") == ["call:toolu_sql", "call:toolu_grep"]
    assert found(index, "tokens>100M") == []


def answers_come_in_pages(make_index: MakeIndex) -> None:
    """Newest first; following `next` gives every hit once."""
    index = filled(make_index)
    query = parse("role:tool OR role:user", now=NOW)
    every = index.search(query, limit=1000).hits
    pages, below = [], None
    while True:
        answer = index.search(query, limit=3, below=below)
        pages += answer.hits
        below = answer.next
        if below is None:
            break

    assert pages == every == sorted(every, key=lambda hit: -hit.number)
    assert len({hit.number for hit in every}) == len(every) > 9
    assert [hit.conversation.endswith(SECOND_ID) for hit in every] == [True] * 3 + [False] * (len(every) - 3)


def the_best_come_first_when_asked(make_index: MakeIndex) -> None:
    """Ranked, the same entries are found."""
    index = filled(make_index)
    query = parse("parse_url", now=NOW)

    ranked = index.search(query, limit=10, is_ranked=True).hits

    assert {hit.number for hit in ranked} == {hit.number for hit in index.search(query, limit=10).hits}


def words_may_be_spread(make_index: MakeIndex) -> None:
    """Where no entry has all the words, conversations that have each of them somewhere are found, and it is said."""
    index = filled(make_index)
    answer = index.search(parse("greedy caller", now=NOW), limit=10)

    assert answer.is_spread
    assert [hit.conversation for hit in answer.hits] == [name_of(first())]
    assert not index.search(parse("greedy", now=NOW), limit=10).is_spread
    assert index.search(parse("greedy deadlock", now=NOW), limit=10).hits == []
    assert [row.id for row in index.conversations(parse("greedy caller", now=NOW), limit=10)[0]] == [FIRST_ID]


def regular_expressions_are_asked_of_the_text(make_index: MakeIndex) -> None:
    """A pattern is looked for in the text as it was written, together with anything else."""
    index = filled(make_index)

    assert found(index, "tool:Bash regex:/_(again|test)$/") == ["call:toolu_again", "call:toolu_test"]
    assert found(index, "regex:/TOOLU_SQL/i") == ["call:toolu_sql"]
    assert found(index, "tool:Bash -regex:/again|test/") == ["call:toolu_sql"]
    assert found(index, "regex:/toolu_sql/ OR is:error") == ["call:toolu_sql", "call:toolu_test"]
    try:
        found(index, "regex:/(/")
    except QueryError:
        return
    raise AssertionError("a pattern that cannot be read was taken")


def sequences_are_found(make_index: MakeIndex) -> None:
    """Calls of one thread that follow each other are found by the last of them, with those that led to it."""
    index = filled(make_index)

    assert found(index, "tool:Bash is:error -> tool:Edit -> tool:Bash") == ["call:toolu_again"]
    assert found(index, "tool:Read -> tool:Edit") == ["call:toolu_edit"]
    assert found(index, "tool:Read ->1 tool:Edit") == []
    assert found(index, "tool:Read ->2 tool:Edit") == ["call:toolu_edit"]
    assert found(index, "tool:Edit -> tool:Read") == []
    assert found(index, "tool:Task -> tool:Grep") == []
    (hit,) = index.search(parse("tool:Bash is:error -> tool:Edit -> tool:Bash", now=NOW), limit=9).hits
    assert [index.entries([number])[number].id for number in hit.also] == ["call:toolu_test", "call:toolu_edit"]
    assert [row.id for row in index.conversations(parse("tool:Read -> tool:Edit", now=NOW), limit=9)[0]] == [FIRST_ID]


def conversations_are_listed(make_index: MakeIndex) -> None:
    """The one that went on last comes first, those that a query asks for alone, in pages."""
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


def pages_are_in_order(make_index: MakeIndex) -> None:
    """Entries come in the order of the conversation, from any place in either direction."""
    index = make_index()
    talk = Session(FIRST_ID)
    for n in range(260):
        talk.user(f"prompt {n}")
        talk.assistant(f"answer {n}")
    index.write(writings_of(talk))
    name = name_of(talk)
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
    numbered = [entry for entry in every if entry.number]
    assert set(index.entries([entry.number for entry in numbered])) == {entry.number for entry in numbered}


def growing_is_the_same_as_whole(make_index: MakeIndex) -> None:
    """A conversation taken in line by line ends as the one taken in at once: rows, entries, words and money."""
    talk = first()
    vault, index, reference = MemoryVault(), make_index(), make_index()
    opened: Opened | None = None
    grown = Session(FIRST_ID)
    agent = talk.agents[0]
    for count in range(1, len(talk.lines) + 1):
        grown.lines = talk.lines[:count]
        grown.agents = [agent] if count > len(talk.lines) - 3 else []
        keep(vault, grown)
        (kept,) = kept_in(vault)
        opened = opened or Opened(vault, kept)
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


def messages_count_once(make_index: MakeIndex) -> None:
    """A message that forks share counts for the conversation that started first, whatever came in first."""
    origin = Session(FIRST_ID, clock=Clock("2026-02-01T10:00:00.000Z"))
    origin.user("begin")
    origin.assistant("one", message_id="msg_shared", tokens=usage(said=10), stop="end_turn")
    fork = Session(SECOND_ID, clock=Clock("2026-02-01T10:00:00.000Z"))
    fork.user("begin")
    fork.assistant("one", message_id="msg_shared", tokens=usage(said=25), stop="end_turn")
    fork.assistant("two", message_id="msg_own", tokens=usage(said=7), stop="end_turn")
    late = Session(THIRD_ID, clock=Clock("2026-01-01T10:00:00.000Z"))
    late.user("begin")
    late.assistant("one", message_id="msg_shared", tokens=usage(said=3), stop="end_turn")
    results = []
    for order in ((origin, fork, late), (late, fork, origin), (fork, late, origin)):
        index = make_index()
        for talk in (origin, fork, late):
            index.write([], gone=[name_of(talk)])
        for talk in order:
            index.write(writings_of(talk))
        spent, _, forks = index.spent()
        results.append((sorted(map(repr, spent)), forks))
        outputs = {each.conversation: each.tokens.output for each in spent}
        assert outputs == {name_of(late): 25, name_of(fork): 7}
    assert results[0] == results[1] == results[2]
    assert results[0][1] == {name_of(origin), name_of(fork)}
    index.write([], gone=[name_of(late)])
    outputs = {each.conversation: each.tokens.output for each in index.spent()[0]}
    assert sum(outputs.values()) == 32


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
    opened = Opened(vault, kept)
    seq = index.write(opened.writings(kept, saved_since=NEVER))
    line = talk.user("and go on")
    keep(vault, talk)
    (kept,) = kept_in(vault)
    index.write(opened.writings(kept, saved_since=NEVER))

    assert [event.item for event in index.feed(index.epoch, seq).events] == [line["uuid"]]


def facts_are_kept(make_index: MakeIndex) -> None:
    """Positions, saved states, files and names come back as they were written."""
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


def no_query_is_too_odd(make_index: MakeIndex) -> None:
    """Whatever words hold, they are words: no character of theirs acts."""
    index = filled(make_index)
    for odd in (
        "AND",
        "NEAR(a b)",
        "a\0b",
        '\\"',
        "text:x",
        "* a",
        "{text}",
        "^fix",
        "a+b",
        "\x80",
        "'; DROP",
        "-",
        "++",
    ):
        phrase = '"' + odd.replace("\\", "\\\\").replace('"', '\\"') + '"'
        found(index, phrase)
    assert found(index, '"++"') == []
    assert len(found(index, 'deadlock "++"')) == 1


BEHAVIOURS: tuple[Behaviour, ...] = (
    nothing_is_known_at_first,
    words_are_found,
    fields_are_asked,
    answers_come_in_pages,
    the_best_come_first_when_asked,
    words_may_be_spread,
    regular_expressions_are_asked_of_the_text,
    sequences_are_found,
    conversations_are_listed,
    pages_are_in_order,
    growing_is_the_same_as_whole,
    a_whole_writing_replaces,
    writing_again_changes_nothing,
    what_is_gone_is_gone,
    messages_count_once,
    the_feed_has_no_gap,
    growth_is_told_entry_by_entry,
    facts_are_kept,
    no_query_is_too_odd,
)
"""Each takes a maker of indexes, each empty, and raises AssertionError when a promise of the port is broken."""
