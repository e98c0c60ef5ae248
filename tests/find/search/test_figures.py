"""Tests that every front end shows the same tokens and dollars of a conversation, with copied ones apart."""

import json

import pytest

from chorus.core.query.tree import Query
from chorus.find.costs.conversation_costs import Costs
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.indexing.index_keeper import FOLDER
from chorus.keep.vault.files import FileVault
from chorus.show.transcripts.summary import Summaries
from chorus.testing.builders import Session
from chorus.testing.builders.lines import Clock, usage
from tests.cli.commands import run, run_json
from tests.find.indexing.vaults import kept_up
from tests.keep.sources.keeping import Keeper

SOURCE, FORK, ODD, OLD = (f"{n * 8}-0000-4000-8000-000000000000" for n in "abcd")
MODEL = "claude-opus-4-8"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home with a source, its fork that continued, a model without a price, and a client that reported its cost."""
    source, fork = Session(SOURCE, model=MODEL), Session(FORK, model=MODEL, clock=Clock("2026-02-01T00:00:00Z"))
    for number in range(3):
        source.assistant(f"Said {number}", stop="end_turn", tokens=usage(given=100, said=10))
    fork.lines += [{**line, "sessionId": FORK} for line in source.lines]
    fork.assistant("Went on", stop="end_turn", tokens=usage(given=7, said=3))
    odd, old = Session(ODD, model="mystery-1"), Session(OLD, model="mystery-1")
    odd.assistant("Who knows", stop="end_turn")
    old.assistant("Dear", stop="end_turn", costUSD=0.5)
    folder = tmp_path / "claude" / "projects" / "-w"
    folder.mkdir(parents=True)
    for session in (source, fork, odd, old):
        (folder / f"{session.id}.jsonl").write_bytes(bytes(session))
    Keeper(tmp_path / "home").sync(tmp_path / "claude")
    kept_up(FileVault(tmp_path / "home"))
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def listed():
    return {each["id"]: each for each in run_json("list")["conversations"]}


def test_what_a_fork_copied_is_counted_where_it_was_said(home):
    """A fork counts only the tokens and dollars that it added, and shows the copied ones beside them."""
    found = listed()
    assert found[FORK]["tokens"] == {"input": 7, "output": 3, "cache_creation": 0, "cache_read": 0}
    assert found[FORK]["copied_tokens"] == {"input": 300, "output": 30, "cache_creation": 0, "cache_read": 0}
    assert found[SOURCE]["tokens"]["input"] == 300 and found[SOURCE]["copied_tokens"] is None
    assert "plus 300 in · 30 out copied" in run("list").stdout
    assert "7 in · 3 out (plus 300 in · 30 out copied)" in " ".join(run("show", FORK).stdout.split())


def test_every_surface_tells_the_same(home):
    """The list, the cost report, the page's line and the measure of a query agree to the last token."""
    rows = {row["key"]: row for row in run_json("cost", "--by", "conversation")["rows"]}
    index = SqliteIndex(home / FOLDER)
    lines = {each.id: each for each in Summaries(Costs(home)).of(index, index.conversations(Query(None), limit=9)[0])}
    for name, each in listed().items():
        assert each["tokens"] == rows[name]["tokens"]
        assert each["cost_usd"] == pytest.approx(rows[name]["cost_usd"])
        assert each["reported_usd"] == rows[name]["reported_usd"]
        line = lines[name]
        assert (line.tokens.input, line.tokens.output) == (each["tokens"]["input"], each["tokens"]["output"])
        assert (line.cost_usd, line.reported_usd) == (each["cost_usd"], each["reported_usd"])
        assert line.why_no_cost == each["why_no_cost"]
        total = each["tokens"]["input"] + each["tokens"]["output"]
        found = {one["id"] for one in run_json("list", f"tokens:={total}")["conversations"]}
        assert name in found and (name != SOURCE or FORK not in found)


def test_a_cost_is_shown_or_the_reason_why_not(home):
    """If no cost can be computed, the list shows the reported cost, or else the reason."""
    lines = {line.split()[0]: line for line in run("list").stdout.splitlines() if line.strip()}
    found = listed()
    assert found[ODD]["cost_usd"] is None and "mystery-1" in found[ODD]["why_no_cost"]
    assert "mystery-1" in lines[ODD] and "$0.50 reported" in lines[OLD]
    assert "$0.50 reported" in run("show", OLD).stdout
    assert json.loads(run("show", OLD, "--json").stdout)["reported_usd"] == found[OLD]["reported_usd"] == 0.5
