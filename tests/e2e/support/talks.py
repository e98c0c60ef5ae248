"""Builds sessions that together contain everything that a transcript can show."""

import json
from datetime import timedelta
from typing import Any

from chorus.testing.builders import Session, image, lay_out, thinking, tool_use
from chorus.testing.builders.lines import usage
from tests.e2e.support.serving import Serving
from tests.e2e.support.worlds import session, with_an_agent

TOOLS, SHAPES, BRANCHES, TALL = (f"7a1c000{number}-0000-4000-8000-000000000002" for number in range(1, 5))
SIDE_FILE = "b0a7.txt"
SIDE_TEXT = "".join(f"line {number} of the whole output\n" for number in range(1, 6_001))
SECRET_LINE = "the last line of a very long output"
FOLDER = "/home/dev/harbour"


def lay_out_all(server: Serving) -> None:
    server.write(tools(), branches(), tall(), with_an_agent())
    lay_out(server.claude, shapes(), side_files={SIDE_FILE: SIDE_TEXT})


def tools() -> Session:
    """Builds a session with a call of every tool that has a view of its own, and of one that has none."""
    made = session(TOOLS, ago=timedelta(hours=1), cwd=FOLDER)
    made.title("One of each tool")
    made.user("Use every tool once.")
    _bash(made)
    _files(made)
    _searches(made)
    _words(made)
    _web(made)
    _others(made)
    made.assistant("Every tool was used.", stop="end_turn")
    return made


def _called(made: Session, name: str, given: dict[str, Any], call: str, content: Any = "", **more: Any) -> None:
    made.assistant(tool_use(name, given, id=call))
    made.tool_result(call, content, **more)


def _bash(made: Session) -> None:
    printed = "\x1b[32mgreen tests\x1b[0m and \x1b[1;31mred ones\x1b[0m\nthe end"
    told = {"stdout": printed, "stderr": "a warning on the side", "interrupted": False, "isImage": False}
    given = {"command": "make test | tee log", "description": "Run the lot"}
    _called(made, "Bash", given, "toolu_bash", printed, structured=told)
    failed = "Exit code 7\ncp: cannot stat 'buoy': No such file or directory"
    _called(
        made, "Bash", {"command": "cp buoy /tmp"}, "toolu_fails", failed, is_error=True, structured=f"Error: {failed}"
    )
    given = {"command": "sleep 600", "description": "Wait for the tide", "run_in_background": True}
    told = {"stdout": "", "stderr": "", "interrupted": False, "backgroundTaskId": "tide1"}
    _called(made, "Bash", given, "toolu_background", "Command running in background with ID: tide1", structured=told)
    told = {"shellId": "tide1", "command": "sleep 600", "status": "running", "stdout": "still ebbing", "stderr": ""}
    _called(made, "BashOutput", {"bash_id": "tide1"}, "toolu_output", "still ebbing", structured=told)


def _files(made: Session) -> None:
    path = f"{FOLDER}/tide.py"
    _called(
        made,
        "Read",
        {"file_path": path},
        "toolu_read",
        "     1\tdef shown(height):\n     2\t    return round(height)\n",
    )
    given = {
        "file_path": path,
        "old_string": "    return round(height)",
        "new_string": "    return floor(height + 0.5)",
    }
    lines = [" def shown(height):", "-    return round(height)", "+    return floor(height + 0.5)"]
    hunk = {"oldStart": 41, "oldLines": 2, "newStart": 41, "newLines": 2, "lines": lines}
    told = {
        "filePath": path,
        "oldString": given["old_string"],
        "newString": given["new_string"],
        "structuredPatch": [hunk],
    }
    _called(made, "Edit", given, "toolu_edit", "The file was updated.", structured=told)
    text = "# Tides\n\nEbb and flow.\n"
    told = {"type": "create", "filePath": f"{FOLDER}/TIDES.md", "content": text, "structuredPatch": []}
    given = {"file_path": f"{FOLDER}/TIDES.md", "content": text}
    _called(made, "Write", given, "toolu_write", "File created.", structured=told)
    edits = [{"old_string": "ebb", "new_string": "low water"}, {"old_string": "flow", "new_string": "high water"}]
    _called(made, "MultiEdit", {"file_path": path, "edits": edits}, "toolu_multi", "Applied 2 edits.")
    given = {"notebook_path": f"{FOLDER}/tides.ipynb", "cell_id": "c1", "new_source": "plot(moon)"}
    _called(made, "NotebookEdit", given, "toolu_notebook", "Updated cell c1.")


def _searches(made: Session) -> None:
    given = {"pattern": "round\\(", "path": FOLDER, "output_mode": "content"}
    _called(made, "Grep", given, "toolu_grep", "tide.py:2:    return round(height)")
    _called(made, "Glob", {"pattern": "**/*.py"}, "toolu_glob", f"{FOLDER}/tide.py\n{FOLDER}/moon.py")


def _words(made: Session) -> None:
    todos = [
        {"content": "Round half up", "status": "completed", "activeForm": "Rounding"},
        {"content": "Ask the harbour master", "status": "in_progress", "activeForm": "Asking"},
        {"content": "Tell the pilots", "status": "pending", "activeForm": "Telling"},
    ]
    _called(made, "TodoWrite", {"todos": todos}, "toolu_todo", "Todos have been modified.")
    options = [
        {"label": "Half up", "description": "as sailors do"},
        {"label": "Half even", "description": "as bankers do"},
    ]
    asked = {
        "question": "How shall heights be rounded?",
        "header": "Rounding",
        "options": options,
        "multiSelect": False,
    }
    told = {"questions": [asked], "answers": {asked["question"]: "Half up"}}
    _called(made, "AskUserQuestion", {"questions": [asked]}, "toolu_ask", "User has answered: Half up", structured=told)
    plan = "## The plan\n\n1. Round **half up**\n2. Tell the pilots\n"
    _called(
        made, "ExitPlanMode", {"plan": plan}, "toolu_plan", "User has approved your plan.", structured={"plan": plan}
    )


def _web(made: Session) -> None:
    given = {"url": "https://tides.example/north-sea", "prompt": "When is high water?"}
    told = {
        "bytes": 52_100,
        "code": 200,
        "codeText": "OK",
        "result": "High water is at **04:12**.",
        "durationMs": 900,
        "url": given["url"],
    }
    _called(made, "WebFetch", given, "toolu_fetch", "High water is at **04:12**.", structured=told)
    link = {"title": "Tables of the North Sea", "url": "https://tides.example/tables"}
    told = {"query": "tide tables", "results": [{"tool_use_id": "srvtoolu_1", "content": [link]}], "durationSeconds": 1}
    _called(made, "WebSearch", {"query": "tide tables"}, "toolu_search", "Links: …", structured=told)


def _others(made: Session) -> None:
    content = [{"type": "text", "text": json.dumps({"berth": 4, "free": True})}]
    _called(made, "mcp__harbour__find_berth", {"length_m": 12}, "toolu_mcp", content)
    nested = {"tower": 3, "settings": json.dumps({"lamp": "red", "period_s": 5})}
    _called(made, "Lighthouse", nested, "toolu_unknown", "lit")
    _called(made, "Read", {"file_path": f"{FOLDER}/chart.png"}, "toolu_picture", [image()])


def shapes() -> Session:
    """Builds a session with all that is no tool: thinking, pictures, long outputs, compaction, errors, records."""
    made = session(SHAPES, ago=timedelta(hours=2), cwd=FOLDER, branch="shapes")
    made.title("All shapes")
    made.user([{"type": "text", "text": "Look at this chart."}, image()])
    made.assistant(thinking("Contour lines first, then depths."), "It shows the **fairway**.")
    made.assistant(thinking(""), "And that is all.", stop="end_turn")
    made.system("turn_duration", durationMs=65_000)
    made.user("Print a lot.")
    long_text = "".join(f"{number:06d} of the log\n" for number in range(1, 8_000)) + SECRET_LINE
    _called(made, "Bash", {"command": "cat log"}, "toolu_long", long_text)
    stored = f"/home/dev/.claude/projects/-home-dev-harbour/{SHAPES}/tool-results/{SIDE_FILE}"
    preview = f"<persisted-output>\nOutput too large (160KB). Full output saved to: {stored}"
    preview += "\n\nPreview:\nline 1 of the whole output"
    _called(made, "Bash", {"command": "cat all"}, "toolu_side", preview)
    made.compact("They looked at a chart and printed a log.", trigger="manual", pre_tokens=151_000)
    made.user("Go on.")
    made.assistant("API Error: 529 overloaded_error", isApiErrorMessage=True, error="overloaded")
    made.system(
        "api_error", level="error", error={"status": 529, "message": "overloaded"}, retryAttempt=1, retryInMs=500
    )
    made.user("Once more.")
    made.snapshot()
    made.attachment("task_reminder", content="Remember the buoys, in secret.")
    made.assistant("Now it works.", stop="end_turn", tokens=usage(given=500, said=1_500, cache_read=148_000))
    return made


def branches() -> Session:
    """Builds a session in which an answered prompt was written again: it has two branches, and the second continues."""
    made = session(BRANCHES, ago=timedelta(hours=4), cwd="/home/dev/pilots")
    made.title("Two ways from here")
    made.user("Name a ship.")
    made.assistant("Gladly: which kind?", stop="end_turn")
    fork = made.leaf
    made.user("A tug, please.")
    made.assistant("The tug is called Holland.", stop="end_turn")
    made.leaf = fork
    made.user("A ferry, please.")
    made.assistant("The ferry is called Dokter Wagemaker.", stop="end_turn")
    return made


def tall() -> Session:
    """Builds a session with messages far taller than a screen, and with pictures that cannot be shown."""
    made = session(TALL, ago=timedelta(hours=6), cwd="/home/dev/pilots")
    made.title("Tall tales")
    for number in range(1, 41):
        made.user([{"type": "text", "text": f"Tell tale {number}."}, image("bm90IGEgcGljdHVyZQ==")])
        made.assistant(
            f"Tale {number} begins.\n\n" + "And on it goes.\n\n" * (number * 37 % 150) + f"Tale {number} ends."
        )
    return made
