"""Tests that the tasks in the library guide run unchanged."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from chorus.testing.builders import Session, lay_out, tool_use
from chorus.testing.builders.lines import SESSION_ID, usage

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "library.md"
TASKS = dict(re.findall(r"```python\n# task: ([^\n]+)\n(.*?)```", GUIDE.read_text(), re.DOTALL))


def _session() -> Session:
    session = Session(model="claude-sonnet-4-5-20250929")
    session.user("Please build it")
    for number in range(3):
        session.assistant(tool_use("Bash", {"command": "make"}, id=f"toolu_{number}"))
        session.tool_result(f"toolu_{number}", "cc: fatal error: no input files", is_error=True)
    session.assistant(tool_use("Task", {"description": "Look", "prompt": "look"}, id="toolu_a"))
    agent = session.agent("a1b2c3d", "toolu_a", kind="Explore", description="Look around")
    agent.user("look")
    agent.assistant("found it", stop="end_turn", tokens=usage(given=1_000, said=500))
    session.tool_result("toolu_a", "found it")
    session.assistant("The end.", stop="end_turn")
    return session


@pytest.fixture
def folder(tmp_path):
    """A folder with a session in the layout of the client, in which the tasks are run."""
    return lay_out(tmp_path, _session()).parent


def _run(task: str, folder: Path) -> str:
    code = TASKS[task].replace("session.jsonl", f"{SESSION_ID}.jsonl")
    outcome = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
    assert outcome.returncode == 0, outcome.stderr
    return outcome.stdout


EXPECTED = {
    "failing commands": "make → cc: fatal error: no input files\n" * 3,
    "follow a live file": "assistant",
    "prompts to CSV": "Please build it",
    "find loops": '3 times in a row: Bash {"command": "make"}\n',
    "cost per sub-agent": "Explore: Look around: $",
}


def test_the_guide_has_these_tasks():
    """Every task in the guide has an expected output in this file."""
    assert TASKS.keys() == EXPECTED.keys()


@pytest.mark.parametrize("task", EXPECTED)
def test_a_task_runs_as_it_stands(task, folder):
    """A task copied from the guide, with the name of a real file, does what the guide says."""
    assert EXPECTED[task] in _run(task, folder)
