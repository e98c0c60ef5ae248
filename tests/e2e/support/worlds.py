"""Builds small sets of sessions for a server to show, with times relative to now."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from chorus.testing.builders import Session, image, thinking, tool_use
from chorus.testing.builders.lines import Clock, Ids, usage

LIVE, EDITS, AGENTS, FAILED, LONG = (f"e2e0000{number}-0000-4000-8000-000000000001" for number in range(1, 6))
"""The ids of the sessions of `small`."""
NAMES = {LIVE: "at-work", EDITS: "edits", AGENTS: "agent", FAILED: "failed", LONG: "long"}
CLAUDE = "claude-sonnet-4-5-20250929"


def small() -> list[Session]:
    """Builds five sessions: one at work, one with edits, one with a sub-agent, a failed one, and a long one."""
    return [at_work(), with_edits(), with_an_agent(), that_failed(), with_many_words(40)]


def session(session_id: str, *, ago: timedelta, cwd: str = "/home/dev/harbour", branch: str = "main") -> Session:
    UUID(session_id)
    begun = datetime.now(UTC) - ago
    clock = Clock(f"{begun:%Y-%m-%dT%H:%M:%S}.000Z", step_ms=2_000)
    return Session(session_id, cwd=cwd, branch=branch, model=CLAUDE, clock=clock, ids=Ids(session_id))


def at_work() -> Session:
    """Builds a session with an open call: the agent runs a command right now."""
    made = session(LIVE, ago=timedelta(seconds=40), branch="lights")
    made.user("Make the harbour lights blink in step.")
    made.assistant(thinking("The timer is shared, so one place decides."), "I will look at the timer first.")
    made.assistant(tool_use("Bash", {"command": "pytest -q lights", "description": "Run the tests"}, id="toolu_live1"))
    return made


def with_edits() -> Session:
    """Builds a session with Markdown, a read file, an edit, a command with colours, and a to-do list."""
    made = session(EDITS, ago=timedelta(hours=3), branch="tide-table")
    made.title("Tide table: round half up")
    made.user([{"type": "text", "text": "The tide table rounds wrongly, see the picture."}, image()])
    made.assistant(
        thinking("Rounding to even is the culprit."),
        "The table uses **banker's rounding**:\n\n```python\nround(2.5)  # 2\n```\n\n"
        "| height | shown |\n|---|---|\n| 2.5 | 2 |",
        tokens=usage(given=1_200, said=300, cache_read=18_000),
    )
    made.assistant(tool_use("Read", {"file_path": "/home/dev/harbour/tide.py"}, id="toolu_read1"))
    made.tool_result("toolu_read1", "     1\tdef shown(height):\n     2\t    return round(height)\n")
    given = {
        "file_path": "/home/dev/harbour/tide.py",
        "old_string": "    return round(height)",
        "new_string": "    return floor(height + 0.5)",
    }
    made.assistant(tool_use("Edit", given, id="toolu_edit1"))
    made.tool_result("toolu_edit1", "The file /home/dev/harbour/tide.py has been updated.")
    made.assistant(tool_use("Bash", {"command": "pytest -q", "description": "Run the tests"}, id="toolu_bash1"))
    made.tool_result("toolu_bash1", "\x1b[32m12 passed\x1b[0m in 0.31s")
    todos = [
        {"content": "Round half up", "status": "completed", "activeForm": "Rounding half up"},
        {"content": "Tell the pilots", "status": "pending", "activeForm": "Telling the pilots"},
    ]
    made.assistant(tool_use("TodoWrite", {"todos": todos}, id="toolu_todo1"))
    made.tool_result("toolu_todo1", "Todos have been modified.")
    made.assistant("Heights are now rounded half up.", stop="end_turn")
    return made


def with_an_agent() -> Session:
    """Builds a session with a sub-agent that makes a call."""
    made = session(AGENTS, ago=timedelta(days=1), cwd="/home/dev/pilots")
    made.user("Which pilots speak Frisian?")
    asked = {"description": "Search the roster", "prompt": "Find them.", "subagent_type": "general-purpose"}
    made.assistant(tool_use("Task", asked, id="toolu_task1"))
    agent = made.agent("a1b2c3d4", "toolu_task1", description="Search the roster")
    agent.user("Find them.")
    agent.assistant(tool_use("Grep", {"pattern": "frisian", "path": "roster"}, id="toolu_grep1"))
    agent.tool_result("toolu_grep1", "roster/wubbo.md:3:languages: frisian, dutch")
    agent.assistant("Only Wubbo, says the roster.", stop="end_turn")
    made.tool_result("toolu_task1", [{"type": "text", "text": "Only Wubbo."}], structured={"agentId": "a1b2c3d4"})
    made.assistant("Only **Wubbo** does.", stop="end_turn")
    return made


def that_failed() -> Session:
    made = session(FAILED, ago=timedelta(days=2), cwd="/home/dev/pilots", branch="radio")
    made.user("Send the roster to the coast guard.")
    made.assistant(tool_use("Bash", {"command": "send roster"}, id="toolu_send1"))
    made.tool_result("toolu_send1", "send: no route to host", is_error=True)
    made.assistant("API Error: 529 overloaded", isApiErrorMessage=True)
    return made


def with_many_words(rounds: int) -> Session:
    """Builds a longer session, to scroll and search in."""
    made = session(LONG, ago=timedelta(days=6), cwd="/home/dev/logbook")
    made.title("A logbook of forty days")
    for day in range(1, rounds + 1):
        made.user(f"What happened on day {day}?")
        made.assistant(f"## Day {day}\n\nWind from the west, force {day % 9}. " + "The sea was calm. " * (day % 7))
    return made
