"""Tests of the end of imports: what is loaded goes on, and a module that appears later is never run."""

import subprocess
import sys

LATE = """
import sys
from pathlib import Path
sys.path.insert(0, {folder!r})
import json
from chorus.base.sealed_imports import seal_imports
seal_imports()
Path({folder!r}, "late_one.py").write_text("print('the agent runs')")
Path({folder!r}, "json.py").write_text("print('the agent runs')")
try:
    import late_one
except ImportError as error:
    print(type(error).__name__, error.name)
import json
print(json.loads("1"))
"""


def test_what_appears_later_is_not_imported(tmp_path):
    """A module that was written after the seal is refused and its code does not run; loaded modules still work."""
    done = subprocess.run(
        [sys.executable, "-c", LATE.format(folder=str(tmp_path))], capture_output=True, text=True, check=True
    )

    assert done.stdout == "ModuleNotFoundError late_one\n1\n"
    assert "late_one: not imported" in done.stderr
