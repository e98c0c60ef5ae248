"""Tests of `chorus budget`: a person sets, lists and removes budgets."""

import pytest

from chorus.errors import ChorusError
from tests.cli.at_a_terminal import at_a_terminal
from tests.cli.commands import run, run_json
from tests.steer.approvals.samples import add_approver

PASSPHRASE = "correct horse battery"
BUDGET = "run money:5 minutes:60"


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


def test_a_person_sets_replaces_and_removes_a_budget(home):
    """A budget applies after the passphrase was typed, is replaced by one for the same things, and is removed."""
    typed = [("New passphrase", PASSPHRASE), ("Once more", PASSPHRASE)]
    assert at_a_terminal("approver", "add", "ada", "--vault", home, typed=typed)[0] == 0
    passphrase = [("Passphrase of ada", PASSPHRASE)]

    code, seen = at_a_terminal("budget", "set", *BUDGET.split(), "--vault", home, typed=passphrase)
    assert code == 0 and f"applies now: {BUDGET}" in seen
    assert at_a_terminal("budget", "set", "run", "money:4", "--vault", home, typed=passphrase)[0] == 0

    (listed,) = run_json("budget", "list", "--vault", home)["budgets"]
    assert (listed["text"], listed["limits"], listed["by"]) == ("run money:4", {"money": 4}, "ada")
    assert listed["id"] in run("budget", "list", "--vault", home).output
    code, seen = at_a_terminal("budget", "remove", listed["id"][:6], "--vault", home, typed=passphrase)
    assert code == 0 and "removed: run money:4" in seen
    assert run_json("budget", "list", "--vault", home)["budgets"] == []
    assert at_a_terminal("budget", "remove", listed["id"], "--vault", home)[0] == 2


def test_no_agent_sets_a_budget(home, monkeypatch):
    """Inside a run, or without a terminal, nothing is set."""
    add_approver(home / "state", "ada")
    monkeypatch.setenv("CHORUS_RUN", "x")
    with pytest.raises(ChorusError, match=r"terminal|inside a supervised run"):
        run("budget", "set", *BUDGET.split(), "--vault", home)
    assert run_json("budget", "list", "--vault", home)["budgets"] == []


def test_entries_of_others_are_listed(home):
    """A line that no approver signed is listed with the reason, has no effect, and makes the exit code 1."""
    add_approver(home / "state", "ada")
    (home / "state" / "budgets.jsonl").write_text('{"action":"set","text":"run money:500"}\n')

    shown = run("budget", "list", "--vault", home)

    assert shown.exit_code == 1
    assert "Invalid entries" in shown.output
    assert run_json("budget", "list", "--vault", home)["budgets"] == []
