"""The sample sessions of the contract, an index with them, and a search in it."""

from collections.abc import Callable
from datetime import UTC, datetime

from chorus.core.conversation import items
from chorus.core.query.parse import parse
from chorus.find.index.port import Index
from chorus.find.index.rows import Entry
from chorus.testing.builders import Session, image, text, thinking, tool_use
from chorus.testing.builders.lines import Clock, usage
from chorus.testing.indexes import writings_of

MakeIndex = Callable[[], Index]
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
FIRST_ID, SECOND_ID, THIRD_ID = (f"{n}0000000-1111-4222-8333-444455556666" for n in "abc")


def first() -> Session:
    """A session about a parser: a prompt, thinking, calls that fail and succeed, a sub-agent."""
    session = Session(FIRST_ID, cwd="/home/dev/parser", branch="fix/url", clock=Clock("2026-02-01T10:00:00.000Z"))
    session.user("Please fix parse_url in src/app/main.py; it drops the café parameter.")
    session.assistant(
        thinking("The regular expression is greedy."),
        text("I will read `parseUrl` first, as on GitHub."),
        tool_use("Read", {"file_path": "/home/dev/parser/src/app/main.py"}, id="toolu_read"),
        stop="tool_use",
    )
    session.tool_result("toolu_read", "def parse_url(text):\n    return text.split('?')[0]\n")
    session.assistant(tool_use("Bash", {"command": "pytest -q tests"}, id="toolu_test"), stop="tool_use")
    session.tool_result("toolu_test", "1 failed: test_query_parameters", is_error=True)
    edit = {"file_path": "/home/dev/parser/src/app/main.py", "old_string": "[0]", "new_string": "[-1]"}
    session.assistant(tool_use("Edit", edit, id="toolu_edit"), stop="tool_use")
    session.tool_result("toolu_edit", "The file was updated.")
    session.assistant(tool_use("Bash", {"command": "pytest -q tests"}, id="toolu_again"), stop="tool_use")
    session.tool_result("toolu_again", "12 passed")
    session.assistant(tool_use("Task", {"prompt": "look for other callers"}, id="toolu_task"), stop="tool_use")
    helper = session.agent("a1", "toolu_task")
    helper.user("look for other callers")
    helper.assistant(tool_use("Grep", {"pattern": "parse_url", "path": "/home/dev/parser"}, id="toolu_grep"))
    helper.tool_result("toolu_grep", "src/other.py:7")
    helper.assistant("There is one caller, in other.py.", stop="end_turn")
    session.tool_result("toolu_task", "There is one caller, in other.py.")
    session.assistant("Fixed. 搜索引擎 also works now.", stop="end_turn")
    return session


def second() -> Session:
    """A later session about a database, with an image."""
    session = Session(
        SECOND_ID, cwd="/home/dev/shop", branch="main", model="claude-opus-4-8", clock=Clock("2026-02-20T08:00:00.000Z")
    )
    session.user([text("The deadlock in PostgreSQL is back, see the picture."), image()])
    session.assistant("Which migration ran before it?", stop="end_turn", tokens=usage(said=77))
    session.user("0042_orders, the one that GitHub shows as green.")
    session.assistant(
        tool_use("Bash", {"command": "psql -c 'select 1'"}, id="toolu_sql"), stop="tool_use", tokens=usage(said=5)
    )
    session.tool_result("toolu_sql", "ok")
    return session


def filled(make_index: MakeIndex) -> Index:
    index = make_index()
    index.write(writings_of(first(), second()))
    return index


def found(index: Index, query: str, *, limit: int = 100) -> list[str]:
    """Returns the ids of the entries that match the query, newest first."""
    asked = parse(query, now=NOW)
    answer = index.search(asked, limit=limit, texts_of=lambda some: [written(entry) for _, entry in some])
    entries = index.entries(hit.number for hit in answer.hits)
    return [entries[hit.number].id for hit in answer.hits]


def written(entry: Entry) -> str:
    """Returns a text for an entry, in place of the text in a vault."""
    return entry.item.tool_use_id if isinstance(entry.item, items.Call) else entry.id
