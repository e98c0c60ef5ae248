"""The data of a walk: sources that are imported into a temporary vault."""

import subprocess
import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from chorus.testing.builders import Session, image, thinking, tool_use
from chorus.testing.builders.corpus import corpus
from tests.e2e.support import hostile, worlds
from tests.e2e.support.serving import Serving

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
SYNC_S = 1_800
MADE_UP = "a11a0000-0000-4000-8000-000000000001"


def given_sources(named: Sequence[str]) -> list[Path]:
    """Returns the named sources, else the recordings next to this clone; may be empty, then sessions are generated."""
    if named:
        return [Path(each).resolve() for each in named]
    return [folder for folder in (SHARED / "transcripts", SHARED / "captures") if folder.is_dir()]


def prepared(folder: Path, sources: Sequence[Path]) -> Serving:
    """Returns a server, not yet started, whose vault contains the sources; without sources, generated sessions."""
    server = Serving(folder)
    if sources:
        sync(server, sources)
    else:
        server.write(*worlds.small(), *hostile.corpus(), of_all_kinds())
        corpus(server.claude, megabytes=3)
        sync(server, ())
    return server


def sync(server: Serving, sources: Sequence[Path]) -> None:
    """Imports the sources into the server's vault; the output goes to standard error."""
    call = [sys.executable, "-m", "chorus", "sync", *map(str, sources)]
    # A source that cannot be read to its end is counted and reported; the rest is recorded.
    subprocess.run(call, env=server.environment(), stdout=sys.stderr, timeout=SYNC_S, check=False)


def of_all_kinds() -> Session:
    """Returns one session with a row, a block and a fold of each kind, for the sample of a walk."""
    made = worlds.session(MADE_UP, ago=timedelta(days=3))
    made.title("One of each kind &copy;")
    made.user("Look at &copy; and `&nbsp;`.\n\n| a | b |\n|---|---|\n| &amp; | [x](https://a.example) |")
    made.user([{"type": "text", "text": "A picture:"}, image()])
    made.assistant(
        thinking("First &mdash; then."), "So: &copy; 2026 &hellip;", tool_use("Bash", {"command": "ls"}, id="w1")
    )
    listing = "\n".join(f"line {number}" for number in range(400))
    made.tool_result("w1", listing, structured={"stdout": listing, "stderr": ""})
    made.assistant(tool_use("Edit", {"file_path": "/x/a.py", "old_string": "a", "new_string": "b"}, id="w2"))
    made.tool_result("w2", "no such file", is_error=True)
    made.assistant(
        tool_use("Task", {"description": "look", "prompt": "look around", "subagent_type": "Explore"}, id="w3")
    )
    agent = made.agent("awalk1", "w3", kind="Explore", description="look")
    agent.user("look around")
    agent.assistant("Nothing &amp; nobody.", stop="end_turn")
    made.tool_result("w3", "done", structured={"agentId": "awalk1", "status": "completed", "content": []})
    made.system("informational", content="a notice", level="info")
    made.queue("enqueue", "and then?")
    made.fact("permission-mode", permissionMode="plan")
    made.compact("what was said", trigger="manual")
    made.user("The next day, as it were.")
    made.assistant("Yes.", stop="end_turn")
    return made
