"""Tests that a run keeps to its budgets by itself, without any server."""

from datetime import datetime

import pytest

from chorus.base.zone import local_zone
from chorus.steer.runs import messages
from chorus.steer.runs.attached import Attached
from tests.show.server.test_budgets import CLIENT
from tests.steer.approvals.samples import set_budget
from tests.support.running import PATIENCE_S, Place, program, until


@pytest.fixture
def place(tmp_path):
    made = Place(tmp_path)
    made.approver()
    return made


def client(place, *, is_stubborn=False):
    """A client that uses 1,000 tokens per message until it is interrupted; a stubborn one ignores all that it can."""
    return program(place.home.parent / "claude", CLIENT.format(place=str(place.work), is_stubborn=is_stubborn))


def begin(folder):
    with Attached(folder) as attached:
        attached.do(messages.Send(text="Begin."))


def ended(folder):
    return until(lambda: (run := folder.read()) and run.ending and run)


def kinds(place, folder):
    return [note["type"] for note in place.notes(folder) if note["type"] in ("interrupted", "stopped")]


@pytest.mark.parametrize("is_stubborn", [False, True])
def test_a_run_is_interrupted_and_then_stopped(place, is_stubborn):
    """At 100 % the turn is interrupted once, then the run is stopped, even if the client ignores what it can."""
    set_budget(place.state, "run tokens:3k")
    with place.running(client(place, is_stubborn=is_stubborn)) as folder:
        begin(folder)
        run = ended(folder)

    assert run.ending.is_failure
    assert run.ending.words.startswith("it was stopped, because its budget is used up: ")
    assert (place.work / "asked").read_text().split().count("interrupt") == 1
    assert kinds(place, folder) == ["interrupted", "stopped"]


@pytest.mark.parametrize("scope", ["day", "workspace"])
def test_what_a_run_uses_counts_for_its_workspace_and_today(place, scope):
    """Without a server, a run also keeps to the limits of its workspace and of the day, as far as it used them up."""
    set_budget(place.state, f"{scope} tokens:3k")
    with place.running(client(place)) as folder:
        begin(folder)
        run = ended(folder)

    whom = "for today" if scope == "day" else "for this workspace"
    assert run.ending.words.startswith("it was stopped, because its budget is used up: ≥")
    assert f"of 3.0k tokens {whom};" in run.ending.words


def test_an_exception_for_today_lets_a_run_go_on(place):
    """Without a server, an exception of an approver counts as well."""
    set_budget(place.state, "day tokens:3k")
    set_budget(place.state, f"day tokens:none only:{datetime.now(local_zone()).date().isoformat()}")
    (place.work / "pause").touch()
    with place.running(client(place)) as folder, Attached(folder) as attached:
        attached.attach([])
        attached.do(messages.Send(text="Begin."))
        until(lambda: b"Step 0" in place.kept(folder, "out"))
        (place.work / "pause").unlink()
        until(lambda: b"Step 5" in place.kept(folder, "out"))
        attached.do(messages.Ask())
        assert kinds(place, folder) == []


def test_a_person_is_warned_at_80_percent(place):
    """At 80 % of a limit the terminal says so, and the run goes on; a new limit applies at once."""
    (place.work / "pause").touch()
    set_budget(place.state, "conversation tokens:1250")
    with place.running(client(place)) as folder, Attached(folder) as attached:
        attached.attach([])
        attached.do(messages.Send(text="Begin."))
        events = iter(lambda: attached.next(PATIENCE_S), None)
        told = next(each.limit for each in events if isinstance(each, messages.Status) and each.limit)
        assert told == "budget: 1.0k of 1.2k tokens for this conversation"
        assert kinds(place, folder) == []

        set_budget(place.state, "conversation tokens:900")
        assert "900 tokens for this conversation" in ended(folder).ending.words


def test_a_file_that_is_removed_gives_nothing_back(place):
    """Budgets that were read stay in force for this run if their file is removed while it works."""
    set_budget(place.state, "run tokens:3k")
    (place.work / "pause").touch()
    with place.running(client(place)) as folder, Attached(folder) as attached:
        attached.attach([])
        attached.do(messages.Send(text="Begin."))
        until(lambda: b"Step 0" in place.kept(folder, "out"))
        for _ in range(2):
            attached.do(messages.Ask())
            attached.next(PATIENCE_S)
        (place.state / "budgets.jsonl").unlink()
        (place.work / "pause").unlink()
        assert "3.0k tokens for this run" in ended(folder).ending.words


def test_prices_that_cannot_be_read_free_nobody(place):
    """A price file with errors neither ends the run nor its limits: the prices of Chorus apply."""
    (place.home / "prices.json").write_text("{")
    set_budget(place.state, "run tokens:3k")
    with place.running(client(place)) as folder:
        begin(folder)
        run = ended(folder)

    assert run.ending.words.startswith("it was stopped, because its budget is used up: ")
    assert "prices-unread" in [note["type"] for note in place.notes(folder)]
