"""Tests how `chorus list` shows the progress of conversations at work."""

import io
from datetime import UTC, datetime, timedelta

import pytest

from chorus.cli.main import main
from chorus.core.records.times import wire_time
from chorus.testing.builders import Session, tool_use
from chorus.testing.builders.lines import Clock
from tests.cli.commands import run, run_json
from tests.cli.test_table import Terminal
from tests.keep.archive.vaults import client

DONE = {"content": "Write", "status": "completed", "activeForm": "Writing"}
NEXT = {"content": "Test", "status": "in_progress", "activeForm": "Testing \x1b[31mall"}


def at_work(minutes_ago):
    """Returns a session with a to-do list and a sub-agent, whose last record is so old."""
    session = Session(clock=Clock(wire_time(datetime.now(UTC) - timedelta(minutes=minutes_ago))))
    session.user("Make it fast")
    session.assistant(tool_use("TodoWrite", {"todos": [DONE, NEXT]}, id="t1"))
    session.tool_result("t1", "ok")
    session.assistant(tool_use("Agent", {"description": "Find the callers", "prompt": "Find"}, id="a1"))
    agent = session.agent("x1", "a1", description="Find the callers")
    agent.user("Find")
    agent.assistant(tool_use("Grep", {"pattern": "x"}, id="g1"))
    return session


@pytest.fixture
def home_of(tmp_path):
    def act(minutes_ago):
        client(tmp_path / "claude", at_work(minutes_ago))
        assert run("sync", tmp_path / "claude", "--vault", tmp_path / "home").exit_code == 0
        return tmp_path / "home"

    return act


def printed(home, width, monkeypatch):
    with monkeypatch.context() as patch:
        out = Terminal() if width else io.StringIO()
        patch.setattr("sys.stdout", out)
        patch.setenv("NO_COLOR", "1")
        patch.setenv("TERM", "dumb")
        if width:
            patch.setenv("COLUMNS", str(width))
        main(["list", "--vault", str(home)])
    return out.getvalue()


def test_a_bar_with_step_and_source_and_the_sub_agents_below(home_of, monkeypatch):
    """A terminal shows bar, count, step and source, and each sub-agent in a row below its conversation."""
    lines = printed(home_of(0), 160, monkeypatch).splitlines()

    assert "█████░░░░░ 1/2 todos: Testing" in lines[2]
    assert "\x1b[31m" not in "".join(lines)
    assert "task: 1 call, Grep" in lines[3]
    assert "↳ Find the callers" in lines[3]


def test_a_narrow_terminal_has_less(home_of, monkeypatch):
    """Each line fits the width, and the title stays readable."""
    home = home_of(0)
    for width in (80, 100):
        lines = printed(home, width, monkeypatch).splitlines()
        assert all(len(line) <= width for line in lines)
        assert "Make it fast" in lines[2]
        assert "1/2 todos" in lines[2]


def test_a_pipe_has_one_row_for_each_conversation(home_of, monkeypatch):
    """In a pipe, the progress is a column, and sub-agents have no rows."""
    lines = printed(home_of(0), None, monkeypatch).splitlines()

    assert len(lines) == 2
    assert "1/2 todos: Testing" in lines[1]


def test_the_json_has_the_progress_and_its_record(home_of):
    """The JSON has all facts: percentage, source, confidence, record, and the sub-agents."""
    (shown,) = run_json("list", "--vault", home_of(0))["conversations"]
    main_, (agent,) = shown["progress"]["main"], shown["progress"]["sub_agents"]

    assert (main_["completed"], main_["total"], main_["percentage"]) == (1, 2, 50.0)
    assert (main_["source"], main_["confidence"], main_["reason"]) == ("todos", 1.0, None)
    assert main_["record"]["length"] > 0
    assert (agent["id"], agent["call"], agent["calls"], agent["step"]) == ("x1", "a1", 1, "Grep")


def test_a_conversation_that_is_quiet_has_no_progress(home_of, monkeypatch):
    """If nothing was written for a long time, no progress is shown, even if the records state some."""
    home = home_of(30)

    assert "Testing" not in printed(home, 160, monkeypatch)
    assert run_json("list", "--vault", home)["conversations"][0]["progress"] is None
