"""Tests that `chorus usage` has the same figures as `chorus cost` and `chorus stats` for the same query and days."""

import time

import pytest

from tests.cli.commands import SHARED, run, run_json
from tests.find.usage.worlds import lay_out_all

GROUPINGS = ("day", "week", "month", "model", "workspace", "agent", "conversation")
FIGURES = ("tokens", "cost_usd", "reported_usd", "messages", "lower_bounds", "unpriced_messages")
QUERIES = ((), ("tool:Bash",), ("workspace:shop",), ("cost>0",), ("model:opus", "OR", "is:error"), ("usage:tool=Grep",))
PERIODS = ((), ("--since", "2026-02-28"), ("--since", "2026-02-28", "--until", "2026-03-01"), ("--until", "2026-02-28"))


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("usage")
    lay_out_all(folder / "claude")
    assert run("sync", folder / "claude", "--vault", folder / "home").exit_code == 0
    return folder / "home"


@pytest.fixture(params=["UTC", "Pacific/Kiritimati", "America/St_Johns"])
def zone(request, monkeypatch):
    """Sets the time zone of the person, for this process and for the C library."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", request.param)
        time.tzset()
        yield request.param
    time.tzset()


def compare(home, query, period):
    """Compares all groupings, totals and tools; returns how many lines there were."""
    own = run_json("usage", *query, *period, *(part for by in GROUPINGS for part in ("--by", by)), "--vault", home)
    lines = 0
    for table in own["tables"]:
        by = table["by"]
        theirs = run_json("cost", *query, *period, "--by", by, "--vault", home)
        mine = {row["key"].rpartition("/")[2] if by == "conversation" else row["key"]: row for row in table["rows"]}
        assert {key: [row[each] for each in FIGURES] for key, row in mine.items()} == {
            row["key"]: [row[each] for each in FIGURES] for row in theirs["rows"]
        }, by
        assert [table["total"][each] for each in FIGURES] == [theirs["total"][each] for each in FIGURES]
        lines += len(mine)
    return own, lines


def compare_tools(own, home, query):
    counted = run_json("stats", *query, "--vault", home)
    assert {tool["key"]: (tool["calls"], tool["errors"]) for tool in own["tools"]} == {
        name: (tool["calls"], tool["failed"]) for name, tool in counted["calls"].items()
    }
    assert own["total"]["tokens"] == counted["tokens"]
    assert own["total"]["lower_bounds"] == counted["lower_bounds"]


@pytest.mark.parametrize("query", QUERIES, ids=" ".join)
@pytest.mark.usefixtures("zone")
def test_figures_are_the_same(home, query):
    """All groupings, totals and tools are the same, for any query, in any time zone."""
    own, lines = compare(home, query, ())
    assert lines >= 7
    compare_tools(own, home, query)


@pytest.mark.parametrize("period", PERIODS[1:], ids=" ".join)
@pytest.mark.usefixtures("zone")
def test_figures_of_days_are_the_same(home, period):
    """The figures are also the same for a range of days, which are days in the person's time zone."""
    assert compare(home, (), period)[1] >= 7


def test_a_fork_counts_what_it_added(home):
    """A copied message or call counts in its source. A fork has only its own, and both together count each once."""
    fork, source = (run_json("usage", f"{n}e55aaaa", "--vault", home) for n in (2, 1))
    assert [(tool["key"], tool["calls"]) for tool in fork["tools"]] == [("Bash", 1)]
    assert fork["total"]["tokens"]["output"] == 400
    assert fork["total"]["prompts"] == 1
    assert source["total"]["prompts"] == 2
    both = run_json("usage", "1e55aaaa", "2e55aaaa", "--vault", home)
    assert both["total"]["tokens"]["output"] == source["total"]["tokens"]["output"] + 400
    compare_tools(both, home, ("1e55aaaa", "2e55aaaa"))


@pytest.mark.skipif(not SHARED.is_dir(), reason="no recordings beside this clone (../shared)")
def test_figures_of_recordings_are_the_same(tmp_path):
    """The figures are also the same for real conversations of many versions of the client."""
    assert run("sync", SHARED / "captures", "--vault", tmp_path).exit_code == 0
    own, lines = compare(tmp_path, (), ())
    assert lines > 50
    compare_tools(own, tmp_path, ())
