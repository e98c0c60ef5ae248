"""Tests that a run keeps to its budgets by itself, without any server."""

import json
from datetime import datetime

import pytest

from chorus.base.zone import local_zone
from chorus.core.protocol.launch import Launch
from chorus.keep.vault.memory import MemoryVault
from chorus.steer.approvals.approvers import pin
from chorus.steer.runs import messages
from chorus.steer.runs.attached import Attached
from chorus.steer.runs.pipe_recorder import PipeRecorder
from chorus.steer.runs.run_budgets import RunBudgets
from chorus.steer.runs.run_folders import Run
from tests.show.server.test_budgets import CLIENT
from tests.steer.approvals.samples import set_budget
from tests.support.running import PATIENCE_S, Place, program, until

MESSAGE = {
    "type": "assistant", "session_id": "s", "uuid": "u-1", "parent_tool_use_id": None,
    "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5-20250929",
        "content": [{"type": "text", "text": "One."}], "stop_reason": "end_turn",
        "usage": {"input_tokens": 0, "output_tokens": 1000},
    },
}  # fmt: skip


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


def test_a_run_with_one_message_says_which_limit_ended_it(place):
    """It ends with the interrupted turn, before it would be stopped; its ending names the limit all the same."""
    set_budget(place.state, "run tokens:3k")
    text = CLIENT.format(place=str(place.work), is_stubborn=False)
    quick = program(place.home.parent / "claude", text.replace("time.sleep(0.1)", "interrupted.wait(0.1)"))
    with place.running(quick, is_once=True) as folder:
        begin(folder)
        run = ended(folder)

    assert run.ending.is_failure
    assert run.ending.words.startswith("it was stopped, because its budget is used up: ")


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


def test_a_working_run_is_looked_at_again_before_it_gets_much_further(place):
    """A message that comes right after a look counts a moment later, and not a second later."""
    set_budget(place.state, "run tokens:100")
    run = Run(
        id="run-1", started_at="", path=str(place.work), workspace="shop", agent="main", launch=Launch(session="s"),
        program="", vault="", state=str(place.state), sessions=["s"],
    )  # fmt: skip
    now = [0.0]
    recorder = PipeRecorder(MemoryVault(), run, lambda: "2026-01-05T12:00:00.000Z")
    budgets = RunBudgets(run, recorder, lambda: pin(place.state).list, place.home, ticks=lambda: now[0])

    def look(is_idle=False):
        step = budgets.look(session="s", turns=0, is_idle=is_idle)
        return step.act if step else None

    assert look() is None
    recorder.record("out", json.dumps(MESSAGE).encode() + b"\n")
    now[0] += 0.01
    assert look() is None
    now[0] += 0.1
    assert look() == "interrupt"
    now[0] += 0.1
    assert look(is_idle=True) == "stop"
