"""Tests that queries that read entries one by one stop when their time is over, and say so."""

from datetime import UTC, datetime

import pytest

from chorus.core.query.parse import parse
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.testing.builders import Session, tool_use
from chorus.testing.indexes import writings_of

NOW = datetime(2026, 1, 5, tzinfo=UTC)
CALLS = 300


@pytest.fixture
def index(tmp_path):
    talk = Session()
    for n in range(CALLS):
        talk.assistant(tool_use("Bash", {"command": f"step {n}"}, id=f"toolu_{n}"))
        talk.tool_result(f"toolu_{n}", "done")
    found = SqliteIndex.build(tmp_path)
    found.write(writings_of(talk))
    yield found
    found.close()


def texts_of(wanted):
    return [entry.id.replace("call:toolu_", "step ") for _, entry in wanted]


def late_after(times):
    left = iter(range(times))
    return lambda: next(left, None) is None


@pytest.mark.parametrize("query", ["regex:/step 0$/", "tool:Bash -> tool:Read", "tool:Bash -> tool:Bash"])
def test_in_time_nothing_is_left_out(index, query):
    """A query that has enough time gets all hits, and its answer is not partial."""
    answer = index.search(parse(query, now=NOW), limit=9, texts_of=texts_of, is_late=lambda: False)

    assert not answer.is_partial


@pytest.mark.parametrize("query", ["regex:/step 0$/", "tool:Bash -> tool:Bash"])
def test_a_query_without_time_gets_a_partial_answer(index, query):
    """A query whose time is over at once gets a partial answer, and never a wrong one."""
    asked = parse(query, now=NOW)
    answer = index.search(asked, limit=9, texts_of=texts_of, is_late=lambda: True)
    every = index.search(asked, limit=999, texts_of=texts_of).hits

    assert answer.is_partial and answer.next is not None and len(answer.hits) < len(every)
    assert answer.hits == every[: len(answer.hits)]


@pytest.mark.parametrize(
    "query",
    [
        "tool:Bash -> tool:Bash",
        "tool:Bash -> tool:Read",
        "step 1 -> tool:Bash regex:/7$/",
        "regex:/[02]$/ -> tool:Bash",
        "regex:/1$/ -> regex:/2$/ ->2 regex:/4$/",
    ],
)
@pytest.mark.parametrize("times", [0, 1, 3])
def test_who_goes_on_finds_every_sequence(tmp_path, query, times):
    """A reader that continues after each partial answer gets every sequence of all conversations, and each hit once."""
    index = SqliteIndex.build(tmp_path)
    for number in range(7):
        talk = Session(f"{number:08x}-0000-4000-8000-000000000000")
        for n in range(20):
            talk.assistant(tool_use("Read" if n % 7 == 5 else "Bash", {"command": f"step {n}"}, id=f"toolu_{n}"))
            talk.tool_result(f"toolu_{n}", "done")
        index.write(writings_of(talk))
    asked = parse(query, now=NOW)
    every = index.search(asked, limit=999, texts_of=texts_of).hits
    found, below, answers = [], None, 0
    while True:
        answer = index.search(asked, limit=5, below=below, texts_of=texts_of, is_late=late_after(times))
        found += answer.hits
        below = answer.next
        answers += 1
        if below is None:
            break
    index.close()

    assert found == every and len(every) > 5 and not answer.is_partial
    assert answers > len(every) // 5


def test_what_was_found_in_time_is_given(index):
    """The newest entries are read first, so their hits are in the partial answer."""
    pattern = parse("regex:/step 2..$/", now=NOW)
    answer = index.search(pattern, limit=999, texts_of=texts_of, is_late=late_after(1))

    assert answer.is_partial and 0 < len(answer.hits) < 100


def test_who_goes_on_from_answer_to_answer_finds_everything(index):
    """Each partial answer says how far it looked, the next one continues there, and every hit comes once."""
    asked = parse("regex:/step [0-9]*7$/", now=NOW)
    every = index.search(asked, limit=999, texts_of=texts_of).hits
    found, times, below = [], [], None
    while True:
        answer = index.search(asked, limit=999, below=below, texts_of=texts_of, is_late=lambda: True)
        found += answer.hits
        times.append(answer.looked_to)
        below = answer.next
        if below is None:
            break
        assert answer.is_partial and answer.looked_to

    assert found == every and len(every) == CALLS // 10
    assert len(times) > 2 and times[:-1] == sorted(times[:-1], reverse=True) and times[-1] is None
