"""Tests that budgets are counted as the cost ledger counts, told of, and enforced: a stop is a stop."""

import json
import os

import pytest

from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import workspace_id
from chorus.keep.vault.port import contents
from chorus.steer.runs.run_folders import Runs
from tests.show.server.serving import serving, until
from tests.show.server.test_runs import settle
from tests.steer.approvals.samples import add_approver, set_budget
from tests.support.running import end, program

CLIENT = """
import json, os, pathlib, signal, sys, threading, time
if "--version" in sys.argv:
    print("2.1.325 (Claude Code)")
    raise SystemExit
place, is_stubborn = pathlib.Path({place!r}), {is_stubborn!r}
session = next(each.partition("=")[2] for each in sys.argv if each.startswith("--session-id="))
(place / "pid").write_text(str(os.getpid()))
if is_stubborn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
interrupted = threading.Event()

def say(**fields):
    print(json.dumps({{"session_id": session, **fields}}), flush=True)

def work():
    say(type="system", subtype="init", cwd=str(place), model="claude-sonnet-4-5-20250929", tools=[], uuid="u-init")
    for number in range(10_000):
        if interrupted.is_set() and not is_stubborn:
            break
        say(type="assistant", uuid=f"u-{{number}}", parent_tool_use_id=None, message={{
            "id": f"msg_{{number}}", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5-20250929",
            "content": [{{"type": "text", "text": f"Step {{number}}."}}], "stop_reason": "end_turn",
            "usage": {{"input_tokens": 0, "output_tokens": 1000}}}})
        (place / "count").write_text(str(number + 1))
        while (place / "pause").exists() and not interrupted.is_set():
            time.sleep(0.02)
        time.sleep(0.1)
    say(type="result", subtype="error_during_execution", is_error=True, uuid="u-end", duration_ms=1, num_turns=1)

for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "user":
        threading.Thread(target=work, daemon=True).start()
    if asked["type"] == "control_request":
        with (place / "asked").open("a") as file:
            file.write(asked["request"]["subtype"] + "\\n")
        if asked["request"]["subtype"] == "interrupt":
            interrupted.set()
            if is_stubborn:
                continue
        answer = {{"subtype": "success", "request_id": asked["request_id"], "response": {{}}}}
        print(json.dumps({{"type": "control_response", "response": answer}}), flush=True)
"""
"""A client that uses 1,000 tokens per message until it is interrupted; a stubborn one ignores all that it can."""


class World:
    """A server with an approver, and a client that never finishes by itself."""

    def __init__(self, served, work):
        self.served = served
        self.browser = served.browser()
        self.work = work
        self.state = served.vault / "state"

    def start(self):
        asked = {"place": workspace_id(str(self.work)), "message": {"text": "Begin."}}
        answer = self.browser.post("/api/runs", asked)
        assert answer.status == 200, answer.body
        return answer.json["id"]

    def run(self, run):
        return next((each for each in self.browser.get("/api/runs").json["runs"] if each["id"] == run), None)

    def ended(self, run):
        return until(lambda: (shown := self.run(run)) and shown["ended_at"] and shown)

    def asked(self):
        path = self.work / "asked"
        return path.read_text().split() if path.exists() else []

    def messages(self):
        return int((self.work / "count").read_text())

    def notes(self, run):
        vault = FileVault(self.served.vault)
        found = next(each for _, each in Runs(self.served.vault) if each.id == run)
        return [json.loads(line) for line in contents(vault, found.key("notes")).splitlines()]


@pytest.fixture
def start_world(places, tmp_path, monkeypatch):
    vault, client = places
    monkeypatch.setenv("CHORUS_HOME", str(vault))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(client))
    (client / "projects").mkdir(parents=True)
    work = (tmp_path / "work").resolve()
    work.mkdir()

    def settled(*, is_stubborn=False):
        binary = program(tmp_path / "claude", CLIENT.format(place=str(work), is_stubborn=is_stubborn))
        settle(vault, binary, [{"id": workspace_id(str(work)), "path": str(work), "agents": []}])
        add_approver(vault / "state", "ada")
        return serving(vault, client)

    yield settled, work
    for folder, _ in Runs(vault).living():
        end(folder)


def test_a_run_is_warned_interrupted_and_stopped(start_world):
    """At 80 % the page is told with the ledger's own count, at 100 % the turn is interrupted, then the run ends."""
    settled, work = start_world
    with settled() as served:
        world = World(served, work)
        (work / "pause").touch()
        set_budget(world.state, "run tokens:1250")
        for wider in ("workspace tokens:100k", "day tokens:100k", "day tokens:100k workspace:work"):
            set_budget(world.state, wider)
        run = world.start()

        shown = until(lambda: (found := world.run(run)) and found["budgets"] and found["budgets"][0]["share"] and found)
        use, *others = shown["budgets"]
        assert [each["words"] for each in others] == [
            "1.0k of 100k tokens for this workspace",
            "1.0k of 100k tokens for today",
            "1.0k of 100k tokens for today in work",
        ]
        assert use == {
            "scope": "run",
            "measure": "tokens",
            "state": "warning",
            "words": "1.0k of 1.2k tokens for this run",
            "share": 0.8,
        }
        board = until(lambda: [each for each in world.browser.get("/api/board").json["tiles"] if each["alerts"]])
        assert [each["kind"] for each in board[0]["alerts"]] == ["budget"]
        assert "interrupt" not in world.asked(), "at 80 % people are told, and nothing else happens"

        (work / "pause").unlink()
        ended = world.ended(run)

        assert world.asked().count("interrupt") == 1
        assert ended["is_failure"] and ended["ending"].startswith("it was stopped, because its budget is used up: ")
        kinds = [note["type"] for note in world.notes(run)]
        assert kinds.index("interrupted") < kinds.index("stopped"), "the record says what happened, and why"
        assert not _lives(work)


def test_a_stop_is_a_stop(start_world):
    """A client that ignores the interruption and the signal that asks it to end is gone all the same."""
    settled, work = start_world
    with settled(is_stubborn=True) as served:
        world = World(served, work)
        set_budget(world.state, "run tokens:2k")
        run = world.start()

        ended = world.ended(run)

        assert ended["ending"].startswith("it was stopped, because its budget is used up: ")
        assert "interrupt" in world.asked()
        assert not _lives(work)


def test_budgets_that_cannot_be_read_stay_in_force(start_world):
    """If the file of the budgets becomes unreadable while a run works, the run is stopped at its limit all the same."""
    settled, work = start_world
    with settled() as served:
        world = World(served, work)
        (work / "pause").touch()
        set_budget(world.state, "run tokens:2k")
        run = world.start()
        until(lambda: (found := world.run(run)) and found["budgets"] and found["budgets"][0]["share"])
        (world.state / "budgets.jsonl").unlink()
        (world.state / "budgets.jsonl").mkdir()
        (work / "pause").unlink()

        assert world.ended(run)["ending"].startswith("it was stopped, because its budget is used up: ")


def test_an_approver_makes_an_exception(start_world):
    """A conversation that may use more than others is not interrupted, and the other limits still apply."""
    settled, work = start_world
    with settled() as served:
        world = World(served, work)
        (work / "pause").touch()
        set_budget(world.state, "conversation tokens:1500")
        run = world.start()
        shown = until(lambda: (found := world.run(run)) and found["budgets"] and found["budgets"][0]["share"] and found)
        set_budget(world.state, f"conversation tokens:5k only:{shown['session']}")
        until(
            lambda: (
                (found := world.run(run))
                and found["budgets"][0]["words"] == "1.0k of 5.0k tokens for this conversation"
            )
        )

        (work / "pause").unlink()
        until(lambda: world.messages() >= 3)
        assert "interrupt" not in world.asked()

        ended = world.ended(run)
        assert "of 5.0k tokens for this conversation" in ended["ending"]


def _lives(work):
    try:
        os.kill(int((work / "pid").read_text()), 0)
    except ProcessLookupError:
        return False
    return True
