"""Tests what seed document 4 asks of a wrapper service: structured messages out of text, tools and results."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from chorus.core.conversation.fold import Fold
from chorus.core.progress.model import Source
from chorus.core.progress.parser import ProgressParser
from chorus.core.progress.sub_agents import SubAgentProgressMonitor
from chorus.core.records.times import wire_time
from chorus.testing.builders import Run, Session, tool_use
from chorus.testing.builders.lines import Clock
from tests.core.conversation.talks import read
from tests.show.server.phones import Phone, bodies, name_of
from tests.show.server.serving import serving
from tests.show.wire.test_mobile import sent


def messages(run: Run) -> list[dict[str, Any]]:
    return [json.loads(each) for each in sent(run)]


def parsed(run: Run) -> ProgressParser:
    fold, parser = Fold("s"), ProgressParser()
    for record in read("out", bytes(run)):
        parser.take(fold.feed(record))
    return parser


def test_parse_text_content():
    """`ProgressParser` finds "Running test X of Y" in text, and progress in the output of commands."""
    run = Run()
    run.init()
    run.assistant("Running test 5 of 20...")
    told = parsed(run).progress
    assert told is not None
    assert (told.step, told.completed, told.total, told.percentage) == ("Running tests", 5, 20, 25.0)
    assert told.source is Source.PROSE

    run.assistant(tool_use("Bash", {"command": "ninja"}, id="b"))
    run.tool_result("b", "[3/12] CC a.o\n[6/12] CC b.o\n")
    told = parsed(run).progress
    assert told is not None
    assert (told.completed, told.total, told.source) == (6, 12, Source.PROGRAM)


def test_parse_sub_agent_mentions():
    """`SubAgentProgressMonitor` follows sub-agents by their calls; words that mention one are the weakest source."""
    run = Run()
    run.init()
    run.assistant("I'll launch three sub-agents to look at the callers.")
    parser = parsed(run)
    assert isinstance(parser.monitor, SubAgentProgressMonitor)
    (mentioned,) = parser.monitor.mentioned(parser.save().main)
    assert (mentioned.source, mentioned.confidence < 0.5) == (Source.PROSE, True)

    run.assistant(tool_use("Task", {"description": "Find the callers", "prompt": "Find"}, id="t"))
    (called,) = parsed(run).monitor.at_work(parsed(run).save().main)
    assert (called.description, called.call, called.source) == ("Find the callers", "t", Source.TASK)


@pytest.mark.parametrize(
    ("tool", "given", "kind", "subject"),
    [
        ("Write", {"file_path": "/w/a.py", "content": "x"}, "editor", "/w/a.py"),
        ("Read", {"file_path": "/w/a.py"}, "reader", "/w/a.py"),
        ("Bash", {"command": "make test"}, "command", "make test"),
        ("Edit", {"file_path": "/w/a.py", "old_string": "a", "new_string": "b"}, "editor", "/w/a.py"),
    ],
    ids=["a file operation", "a file that is read", "a command", "a modification of code"],
)
def test_monitor_tool_usage(tool, given, kind, subject):
    """File operations, commands and changes of code are activities, when they start and when they end."""
    run = Run("sess_123")
    run.init()
    run.assistant(tool_use(tool, given, id="c1"))
    run.tool_result("c1", "done")
    started, ended = (each for each in messages(run) if each["type"] == "tool_activity")
    assert (started["callId"], started["tool"], started["kind"], started["state"]) == ("c1", tool, kind, "started")
    assert subject in started["subject"] and started["conversationId"] == "sess_123"
    assert (ended["callId"], ended["state"]) == ("c1", "done")


@pytest.mark.parametrize("subtype", ["success", "error_max_turns", "error_during_execution"])
def test_every_result_is_a_completion(subtype):
    """A result of any subtype ends the turn with its subtype, error, turns, duration and cost."""
    run = Run("sess_123")
    run.init()
    run.assistant("Working.")
    result = {"type": "result", "subtype": subtype, "duration_ms": 1234.5, "duration_api_ms": 1000.25}
    result |= {"is_error": subtype != "success", "num_turns": 3, "session_id": "sess_123", "total_cost_usd": 0.5}
    run.add(result)
    (found,) = (each for each in messages(run) if each["type"] == "task_completion")
    assert found == {
        "type": "task_completion",
        "subtype": subtype,
        "isError": subtype != "success",
        "numTurns": 3,
        "durationMs": 1234.5,
        "totalCostUsd": 0.5,
        "conversationId": "sess_123",
    }


def test_map_sessions_to_projects(tmp_path, monkeypatch):
    """A session of the client belongs to the project of its workspace, under the session's own id."""
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "home"))
    with serving(tmp_path / "vault", tmp_path / "client") as server:
        session = Session(cwd="/home/dev/harbour", clock=Clock(wire_time(datetime.now(UTC))))
        session.user("Paint it")
        server.write(session)
        browser = server.browser()
        name = name_of(browser, session)
        with Phone().on(browser) as live:
            live.until(lambda frame: any(each["type"] == "session_list" for each in bodies(frame)))
            heard = [each for frame in live.heard for each in bodies(frame)]
        (projects,) = (each["projects"] for each in heard if each["type"] == "project_list")
        (row,) = (row for each in heard if each["type"] == "session_list" for row in each["sessions"])
        assert (row["conversation"], row["conversationId"], row["title"]) == (name, session.id, "Paint it")
        assert [each["name"] for each in projects if each["projectId"] == row["projectId"]] == ["harbour"]
