"""Searching: what a query finds."""

from chorus.core.query.parse import parse
from chorus.core.query.tree import FIELDS, MEASURES, VALUES, FieldName
from chorus.errors import QueryError
from chorus.testing.index_contract.sessions import FIRST_ID, NOW, SECOND_ID, MakeIndex, filled, first, found
from chorus.testing.indexes import name_of


def words_are_found(make_index: MakeIndex) -> None:
    """Words, parts of words, other scripts, phrases, prefixes and negations find the entries that contain them."""
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
    """Each field finds the entries that it names, alone and combined with others."""
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


_EXAMPLES: dict[FieldName, str] = {
    "role": "role:user",
    "tool": "tool:bash",
    "file": "file:main.py",
    "model": "model:opus",
    "workspace": "workspace:shop",
    "branch": "branch:main",
    "agent": "agent:main",
    "is": "is:error",
    "has": "has:image",
}
"""Queries that find something in the sessions of the contract."""
_ANSWERED_ELSEWHERE: set[FieldName] = {"status", "tag", "usage", "commit", "approved-by"}
"""`find.search` answers all but the last one, which needs a decision, which only the recorder writes."""


def every_field_can_be_asked(make_index: MakeIndex) -> None:
    """No field, alone, negated or in a choice, raises: a field that a back end does not handle fails here."""
    index = filled(make_index)
    everything = set(found(index, ""))

    for field in FIELDS:
        for value in VALUES.get(field, ("day=x", "tool=*") if field == "usage" else ("x", "*")):
            hits = set(found(index, f"{field}:{value}"))
            assert hits | set(found(index, f"-{field}:{value}")) == everything
            assert set(found(index, f"({field}:{value} OR zzzunknown)")) == hits
    assert _EXAMPLES.keys() | _ANSWERED_ELSEWHERE == set(FIELDS), "a new field needs an example that finds something"
    for field, example in _EXAMPLES.items():
        assert found(index, example), f"{field}: finds nothing; are its marks and names written?"
    for name in MEASURES:
        assert set(found(index, f"{name}>=0")) | set(found(index, f"-{name}>=0")) == everything


def answers_come_in_pages(make_index: MakeIndex) -> None:
    """Hits are sorted newest first; following `next` returns every hit once."""
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


def answers_are_counted(make_index: MakeIndex) -> None:
    """A count from any number on equals the number of hits that a search finds there."""
    index = filled(make_index)
    for text in (
        "",
        "role:tool OR role:user",
        "tool:Bash",
        "retry",
        "retry -tool:Bash",
        "on:2026-01-05 role:user",
        "nowhere",
    ):
        query = parse(text, now=NOW)
        hits = [] if (answer := index.search(query, limit=1000)).is_spread else answer.hits
        for since in (0, *(hit.number for hit in hits), *(hit.number + 1 for hit in hits)):
            assert index.count(query, since=since) == sum(hit.number >= since for hit in hits)


def the_best_come_first_when_asked(make_index: MakeIndex) -> None:
    """A ranked search finds the same entries."""
    index = filled(make_index)
    query = parse("parse_url", now=NOW)

    ranked = index.search(query, limit=10, is_ranked=True).hits

    assert {hit.number for hit in ranked} == {hit.number for hit in index.search(query, limit=10).hits}


def words_may_be_spread(make_index: MakeIndex) -> None:
    """If no entry has all words, conversations that contain each of them are found, and the answer says so."""
    index = filled(make_index)
    answer = index.search(parse("greedy caller", now=NOW), limit=10)

    assert answer.is_spread
    assert [hit.conversation for hit in answer.hits] == [name_of(first())]
    assert not index.search(parse("greedy", now=NOW), limit=10).is_spread
    assert index.search(parse("greedy deadlock", now=NOW), limit=10).hits == []
    assert [row.id for row in index.conversations(parse("greedy caller", now=NOW), limit=10)[0]] == [FIRST_ID]


def regular_expressions_are_asked_of_the_text(make_index: MakeIndex) -> None:
    """A regular expression searches the original text, and can be combined with other terms."""
    index = filled(make_index)

    assert found(index, "tool:Bash regex:/_(again|test)$/") == ["call:toolu_again", "call:toolu_test"]
    assert found(index, "regex:/TOOLU_SQL/i") == ["call:toolu_sql"]
    assert found(index, "tool:Bash -regex:/again|test/") == ["call:toolu_sql"]
    assert found(index, "regex:/toolu_sql/ OR is:error") == ["call:toolu_sql", "call:toolu_test"]
    try:
        found(index, "regex:/(/")
    except QueryError:
        return
    raise AssertionError("an invalid pattern was accepted")


def sequences_are_found(make_index: MakeIndex) -> None:
    """A sequence of calls in one thread is found by its last call; the hit names the earlier ones too."""
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


def no_query_is_too_odd(make_index: MakeIndex) -> None:
    """No character in a quoted phrase has a special meaning for the back end."""
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
