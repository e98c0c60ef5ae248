"""Builds conversations for the tests of the views, and shows them with each renderer."""

import io
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from datetime import UTC
from typing import Any

import msgspec
from rich.console import Console

from chorus.core.views.document import document
from chorus.core.views.heading import heading
from chorus.core.views.markdown import markdown
from chorus.core.views.terminal import Look, Terminal
from chorus.core.views.transcript import each_row
from chorus.library import files
from chorus.testing.builders import Run, Session, image, text, thinking, tool_use

CALL = "toolu_1"
STRUCTURE = {"type", "role", "subtype", "uuid", "parentUuid", "sessionId", "session_id", "timestamp", "id"} | {
    *("tool_use_id", "agentId", "parent_tool_use_id", "request_id", "isSidechain", "status", "behavior", "userType")
}
"""Fields that say what a line is; all others are spoiled."""


def folded(*scripts):
    """Returns the one conversation that the lines of the builders make."""
    (found,) = files.fold(record for script in scripts for record in files.read(bytes(script)))
    return found


def called(name, given, content="", *, structured=None, is_error=None):
    """Builds a conversation with one call and its result."""
    session = Session()
    session.user("Go")
    session.assistant(tool_use(name, given, id=CALL))
    session.tool_result(CALL, content, structured=structured, is_error=is_error)
    return folded(session)


def drawn(conversation, *, width=80, colour=False, internal=False, **look):
    """Returns what the terminal shows, with times in UTC."""
    out = io.StringIO()
    system = "256" if colour else None
    console = Console(file=out, width=width, force_terminal=colour, color_system=system, markup=False, highlight=False)
    terminal = Terminal(console, Look(zone=UTC, folder=conversation.session.cwd, **look))
    terminal.heading(heading(conversation))
    for row in each_row(conversation, internal=internal):
        terminal.row(row)
    return out.getvalue()


def written(conversation, **choices):
    """Returns the Markdown document, with times in UTC."""
    return "".join(markdown(conversation, zone=UTC, **choices))


def told(conversation):
    """Returns the decoded JSON document."""
    return msgspec.json.decode("".join(document(conversation)))


def tour():
    """Builds a session with prose, thinking, tools, a sub-agent, a failure and the end of a turn."""
    session = Session()
    session.title("Rename the option")
    session.user("Rename `--fast` to **--quick**, please.\n\n- in the code\n- in the docs")
    session.assistant(
        thinking("The option is in cli.py.\nIts tests are beside it.\nThe docs name it twice."),
        "I look at the code *first*.",
        tool_use("Read", {"file_path": "/home/dev/work/cli.py"}, id="read"),
        tool_use("Bash", {"command": "grep -rn fast docs", "description": "Find it in the docs"}, id="grep"),
    )
    source = "\n".join(f"option_{number} = {number}" for number in range(1, 9))
    read = {"type": "text", "file": {"filePath": "/home/dev/work/cli.py", "content": source, "startLine": 1}}
    session.tool_result("read", source, structured=read)
    session.tool_result("grep", "docs/a.md:1: --fast", structured={"stdout": "docs/a.md:1: --fast", "stderr": ""})
    change = {"file_path": "/home/dev/work/cli.py", "old_string": "fast = 1", "new_string": "quick = 1"}
    session.assistant(tool_use("Edit", change, id="edit"))
    hunk = {"oldStart": 3, "oldLines": 2, "newStart": 3, "newLines": 2, "lines": [" x = 0", "-fast = 1", "+quick = 1"]}
    session.tool_result("edit", "ok", structured={"filePath": "/home/dev/work/cli.py", "structuredPatch": [hunk]})
    todos = [
        {"content": "Code", "status": "completed", "activeForm": "Coding"},
        {"content": "Docs", "status": "in_progress", "activeForm": "Writing"},
        {"content": "Release", "status": "pending", "activeForm": "Releasing"},
    ]
    session.assistant(tool_use("TodoWrite", {"todos": todos}, id="todo"))
    session.tool_result("todo", "ok")
    errand = {"description": "Check the docs", "prompt": "Read the docs.", "subagent_type": "reader"}
    session.assistant(tool_use("Agent", errand, id="agent"))
    session.tool_result(
        "agent",
        "All found.",
        structured={"agentId": "a1", "status": "completed", "totalTokens": 1234, "content": [text("All found.")]},
    )
    agent = session.agent("a1", "agent", kind="reader", description="Check the docs")
    agent.user("Read the docs.")
    agent.assistant(tool_use("Grep", {"pattern": "--fast", "path": "docs"}, id="inner"))
    agent.tool_result("inner", "docs/a.md")
    agent.assistant("All found.", stop="end_turn")
    session.assistant(tool_use("Bash", {"command": "make\nmake test"}, id="make"))
    session.tool_result("make", "Exit code 2\n" + "\n".join(f"line {n}" for n in range(40)), is_error=True)
    session.user([image(), {"type": "text", "text": "See the picture."}])
    session.assistant("Done:\n\n```python\nquick = True\n```", stop="end_turn")
    session.system("turn_duration", durationMs=65_000)
    return [session, agent]


def finished_run():
    """Builds the output of a run: a permission request with its answer, a turn result with its cost, a failed turn."""
    run = Run()
    run.init()
    run.assistant("I try.", tool_use("Bash", {"command": "rm a"}, id="rm"))
    run.ask("rm", "Bash")
    run.answer("deny")
    run.tool_result("rm", "The person said no.", is_error=True)
    run.result("I try.", cost=0.5)
    run.result(None, subtype="error_max_turns", cost=0.75, errors=["Reached the limit of 3 turns"])
    return run


def spoiled(value: Any, spoil: Callable[[str], str], *, keeps: AbstractSet[str] = STRUCTURE, name: str = "") -> Any:
    """Returns a value in which every text is changed, except the texts that say what a line is."""
    if isinstance(value, dict):
        return {inner: spoiled(held, spoil, keeps=keeps, name=inner) for inner, held in value.items()}
    if isinstance(value, list):
        return [spoiled(held, spoil, keeps=keeps, name=name) for held in value]
    return spoil(value) if isinstance(value, str) and name not in keeps else value
