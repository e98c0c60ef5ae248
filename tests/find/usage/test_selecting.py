"""Tests that a line of a report leads to exactly the conversations that count in it."""

from datetime import UTC, date, datetime
from typing import get_args

import pytest

from chorus.core.query.parse import parse
from chorus.core.query.usage_lines import GROUPINGS
from chorus.core.spending.rates import Prices
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.indexing.index_keeper import FOLDER
from chorus.find.search.query_forms import conversations
from chorus.find.usage.report import Selection, UsageReports
from chorus.keep.vault.files import FileVault
from chorus.show.server.services.usage import UsageService
from chorus.show.wire.usage import UsageGrouping
from tests.cli.commands import run
from tests.find.usage.worlds import lay_out_all

NOW = datetime(2026, 4, 1, tzinfo=UTC)
DAYS = ((None, None), (date(2026, 2, 28), None), (date(2026, 2, 28), date(2026, 3, 1)))


@pytest.fixture(scope="module")
def vault(tmp_path_factory):
    folder = tmp_path_factory.mktemp("selecting")
    lay_out_all(folder / "claude")
    assert run("sync", folder / "claude", "--vault", folder / "home").exit_code == 0
    return FileVault(folder / "home")


@pytest.fixture
def index(vault, monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    opened = SqliteIndex(vault.root / FOLDER)
    yield opened
    opened.close()


def answers(index, vault, text):
    rows, _ = conversations(index, vault, parse(text, now=NOW), limit=100, hides_archived=True)
    return {row.name for row in rows}


def counting(index, by, key, since, until):
    """Returns the conversations whose own report has this line."""
    found = set()
    for name in index.positions():
        reports = UsageReports(index, Prices.load(), Selection(names=[name], since=since, until=until, zone=UTC))
        if by == "tool":
            has = any(line.name == key for line in reports.done().tools)
        else:
            has = any(line.key == key and line.messages + line.turns for line in reports.table(by).lines)
        found |= {name} if has else set()
    return found


@pytest.mark.parametrize(("since", "until"), DAYS)
@pytest.mark.parametrize("by", GROUPINGS)
def test_a_term_selects_the_conversations_of_its_line(vault, index, by, since, until):
    """For every line of every grouping, its query finds the conversations that have a part in it, and no others."""
    reports = UsageReports(index, Prices.load(), Selection(since=since, until=until, zone=UTC))
    lines = (
        [(line.name, line.term) for line in reports.done().tools]
        if by == "tool"
        else [(line.key, line.term) for line in reports.with_terms(by, reports.table(by).lines)]
    )
    assert lines
    for key, term in lines:
        assert answers(index, vault, term) == counting(index, by, key, since, until), term


@pytest.mark.parametrize("asked", ["tool:Bash", "harbour OR tidy", "tool:Bash -> tool:Read", '"Light the harbour"', ""])
@pytest.mark.parametrize("by", get_args(UsageGrouping))
def test_a_bar_stays_within_the_query(vault, index, by, asked):
    """On the page, a bar leads to the conversations of its line among those that answer the query."""
    shown = UsageService(index, vault, asked, "", "").shown(by)
    everything = answers(index, vault, asked) if asked else set(index.positions())
    assert shown.lines
    for line in shown.lines:
        assert answers(index, vault, line.query) == counting(index, by, line.key, None, None) & everything, line.query
    for tool in shown.tools:
        assert answers(index, vault, tool.query) == counting(index, "tool", tool.name, None, None) & everything


def test_archived_conversations_are_among_those_of_a_line(vault, index):
    """An archived conversation counts, so the list of a line shows it."""
    before = answers(index, vault, "usage:tool=Bash")
    assert run("mark", "3e55aaaa", "--archive", "--vault", vault.root).exit_code == 0
    try:
        assert answers(index, vault, "usage:tool=Bash") == before
    finally:
        assert run("mark", "3e55aaaa", "--unarchive", "--vault", vault.root).exit_code == 0
