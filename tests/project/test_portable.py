"""Tests that reading and showing work without the POSIX modules, as on Windows."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from chorus.cli.main import COMMANDS

PATIENCE_S = 120
POSIX_ONLY = ["fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"]

# The standard library has branches for Windows that a simulated Windows cannot reach, so it may import these modules.
WITHOUT_POSIX = f"""
import sys

class Missing:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in {POSIX_ONLY}:
            return None
        frame = sys._getframe(1)
        while frame.f_globals.get("__name__", "").startswith(("importlib", "_frozen_importlib")):
            frame = frame.f_back
        if frame.f_globals.get("__name__", "").partition(".")[0] in sys.stdlib_module_names - {{"__main__"}}:
            return None
        raise ImportError(f"{{name}} is missing here")

for name in {POSIX_ONLY}:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Missing)
"""

IMPORT_ALL = """
import importlib, pkgutil, chorus
for module in pkgutil.walk_packages(chorus.__path__, "chorus."):
    if module.name != "chorus.__main__":
        importlib.import_module(module.name)
        print(module.name)
"""


def run_without_posix(code):
    """Runs `code` in an interpreter that lacks the POSIX modules."""
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_POSIX + code],
        env={**os.environ, "NO_COLOR": "1", "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE_S,
        check=False,
    )


@pytest.mark.parametrize("name", POSIX_ONLY)
def test_the_pretence_works(name):
    """The simulated interpreter really lacks a POSIX module."""
    assert "is missing here" in run_without_posix(f"import {name}").stderr


def test_every_module_imports_without_posix():
    """Every module of the package can be imported without any POSIX module."""
    outcome = run_without_posix(IMPORT_ALL)

    assert outcome.returncode == 0, outcome.stderr
    assert {"chorus.cli.main", "chorus.core.records.split"} <= set(outcome.stdout.split())


@pytest.mark.parametrize("command", ["read", "show", "stats"])
def test_commands_run_without_posix(command, tmp_path):
    """Reading, showing and counting a small session need no POSIX module."""
    assert command in COMMANDS
    session = tmp_path / "session.jsonl"
    line = {
        "type": "user",
        "uuid": "u1",
        "parentUuid": None,
        "sessionId": "s1",
        "timestamp": "2026-01-01T00:00:00.000Z",
        "message": {"role": "user", "content": "Good morning, tower."},
    }
    Path(session).write_text(json.dumps(line) + "\n", "utf-8")

    outcome = run_without_posix(f"from chorus.cli.main import main\nsys.exit(main([{command!r}, {str(session)!r}]))")

    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert outcome.stdout.strip()
