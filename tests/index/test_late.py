"""Queries that look at entries one by one stop when it is late, and say so."""

from datetime import UTC, datetime

import pytest

from chorus.index.sqlite.index import SqliteIndex
from chorus.query.parse import parse
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


def late_after(times):
    left = iter(range(times))
    return lambda: next(left, None) is None


@pytest.mark.parametrize("query", ["regex:/toolu_0$/", "tool:Bash -> tool:Read", "tool:Bash -> tool:Bash"])
def test_in_time_nothing_is_left_out(index, query):
    """Who is never late gets all, and is told so."""
    answer = index.search(parse(query, now=NOW), limit=9, text_of=lambda _name, entry: entry.id, is_late=lambda: False)

    assert not answer.is_partial


@pytest.mark.parametrize("query", ["regex:/toolu_0$/", "tool:Bash -> tool:Read", "tool:Bash -> tool:Bash"])
def test_too_late_is_told(index, query):
    """Who is late at once gets a partial answer, and never a wrong one."""
    answer = index.search(parse(query, now=NOW), limit=9, text_of=lambda _name, entry: entry.id, is_late=lambda: True)

    assert answer.is_partial and answer.hits == []


def test_what_was_found_in_time_is_given(index):
    """The newest entries were looked at first: their hits are in the partial answer."""
    pattern = parse("regex:/toolu_2..$/", now=NOW)
    answer = index.search(pattern, limit=999, text_of=lambda _name, entry: entry.id, is_late=late_after(1))

    assert answer.is_partial and 0 < len(answer.hits) < 100
