"""Tests of `chorus usage`, as a person and as a program see it."""

import csv
import io
import json

import pytest

from chorus.errors import ChorusError
from tests.cli.commands import run, run_json
from tests.find.usage.worlds import lay_out_all


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("usage")
    lay_out_all(folder / "claude")
    assert run("sync", folder / "claude", "--vault", folder / "home").exit_code == 0
    return folder / "home"


@pytest.fixture(autouse=True)
def zone(monkeypatch):
    monkeypatch.setenv("TZ", "UTC")


def test_all_tables_are_printed(home):
    """Without options, all tables are printed, with bars, lower bounds and a sign for unknown values."""
    shown = run("usage", "--vault", home).output
    for title in ("by day", "by model", "by workspace", "by sub-agent", "Tools", "Waiting for people", "by weekday"):
        assert title in shown
    assert "Most expensive conversations" in shown
    assert "Light the harbour" in shown.split("Most expensive turns")[1]
    assert "█" in shown
    assert "≥: lower bound; ?: not known" in shown
    (unpriced,) = [line for line in shown.splitlines() if line.strip().startswith("claude-fable-5-2")]
    assert unpriced.split()[1] == "?"


def test_one_table_is_asked_for(home):
    """`--by` prints only the tables that it names."""
    shown = run("usage", "--by", "tool", "--by", "hour", "--vault", home).output
    assert "Usage by day" not in shown
    assert shown.index("Tools") < shown.index("Messages by weekday and hour")


def test_calls_have_outcomes_and_durations(home):
    """A tool has its calls, errors, refusals, open calls and durations. A question counts as waiting for a person."""
    found = run_json("usage", "--vault", home)
    tools = {tool["key"]: tool for tool in found["tools"]}
    assert {key: tools["Bash"][key] for key in ("calls", "errors", "refused", "without_result")} == {
        "calls": 4,
        "errors": 1,
        "refused": 0,
        "without_result": 1,
    }
    assert tools["Read"]["refused"] == 1
    assert tools["Read"]["error_rate"] is None
    (waited,) = [each for each in found["waiting"] if each["key"] == "AskUserQuestion"]
    assert waited["total_ms"] == 20_000
    assert waited["p50_ms"] == pytest.approx(20_000, rel=0.045)


def test_turns_are_ranked_by_cost(home):
    """The most expensive turns come first, each with its prompt and with the tokens of its sub-agents."""
    turns = run_json("usage", "--vault", home)["dearest_turns"]
    assert turns[0]["prompt"] == "Another way"
    assert [turn["cost_usd"] for turn in turns] == sorted((turn["cost_usd"] for turn in turns), reverse=True)
    (first,) = [turn for turn in turns if turn["prompt"] == "Light the harbour"]
    assert first["tokens"]["output"] == 100 + 30 + 10 + 70


def test_a_table_can_be_saved(home):
    """`--csv` prints one table for a spreadsheet, and `--by` chooses the table."""
    rows = list(csv.DictReader(io.StringIO(run("usage", "--csv", "--vault", home).output)))
    assert [row["day"] for row in rows][:2] == ["2026-02-27", "2026-02-28"]
    tools = list(csv.DictReader(io.StringIO(run("usage", "--csv", "--by", "tool", "--vault", home).output)))
    assert {row["tool"]: row["calls"] for row in tools}["Bash"] == "4"
    assert run("usage", "--csv", "--by", "tool", "--by", "day", "--vault", home).exit_code == 2
    assert run("usage", "--csv", "--json", "--vault", home).exit_code == 2


def test_nothing_is_said_in_one_line(tmp_path, home):
    """An empty vault names the next step, and a query without answers or a wrong day is an error."""
    assert "chorus sync" in run("usage", "--vault", tmp_path / "none").output
    for arguments in (["zeppelin"], ["--since", "someday"], ["usage:year=1"], ["/no/file.jsonl"]):
        with pytest.raises(ChorusError):
            run("usage", *arguments, "--vault", home)
    assert json.loads(run("usage", "--since", "2030-01-01", "--json", "--vault", home).output)["tools"] == []


def test_stats_counts_all_that_answer_a_query(home):
    """`chorus stats QUERY` counts every conversation that answers, as `chorus cost` does."""
    both = run_json("stats", "workspace:shop", "--vault", home)
    assert both["calls"]["Bash"]["calls"] == 2
    with pytest.raises(ChorusError, match="answers this"):
        run("stats", "a zeppelin", "--vault", home)
