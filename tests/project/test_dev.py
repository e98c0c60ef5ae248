"""`./dev`, the one command of a contributor."""

import ast
import os
import re
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DEV = ROOT / "dev"


def test_dev_explains_itself():
    """`./dev help` lists every task and sets nothing up; no task at all shows the same and fails."""
    asked = subprocess.run([sys.executable, DEV, "help"], capture_output=True, text=True, timeout=60, check=True)
    bare = subprocess.run([sys.executable, DEV], capture_output=True, text=True, timeout=60, check=False)

    tasks = {line.split()[1] for line in asked.stdout.splitlines() if line.startswith("./dev ")}
    assert tasks == {"test", "check", "fix", "generate", "bench", "chorus", "serve", "screenshots", "walk", "docs"}
    assert (bare.stdout, bare.returncode) == (asked.stdout, 2)


def test_an_unknown_task_is_one_line():
    """A misspelt task is answered in one line with exit code 2."""
    outcome = subprocess.run([sys.executable, DEV, "tset"], capture_output=True, text=True, timeout=60, check=False)

    assert (outcome.returncode, outcome.stdout) == (2, "")
    assert outcome.stderr == "./dev: there is no task 'tset'; ./dev help lists them\n"


def old_python(folder, name):
    """A `name` in `folder` that says it is Python 3.6 while it reads our file."""
    program = folder / name
    program.write_text(
        f"#!{sys.executable}\n"
        "import runpy, sys\n"
        "sys.version_info = (3, 6, 15, 'final', 0)\n"
        "sys.argv = sys.argv[1:]\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    program.chmod(0o755)
    return program


@pytest.mark.skipif(os.name == "nt", reason="the pretended interpreters are shell programs")
def test_an_old_python_gets_one_clear_line(tmp_path):
    """Where no newer Python can be found, the answer is one line that names what is needed."""
    python = old_python(tmp_path, "python3")
    broken = tmp_path / "python3.13"
    broken.write_text("#!/bin/sh\nexit 127\n")
    broken.chmod(0o755)

    outcome = subprocess.run(
        [python, DEV, "help"], env={"PATH": str(tmp_path)}, capture_output=True, text=True, timeout=60, check=False
    )

    assert (outcome.returncode, outcome.stdout) == (1, "")
    assert outcome.stderr == "./dev needs Python 3.11 or newer: this is 3.6, and PATH has no other.\n"


@pytest.mark.skipif(os.name == "nt", reason="the pretended interpreters are shell programs")
def test_an_old_python_hands_over_to_a_newer_one(tmp_path):
    """Where PATH has a newer Python that runs, it takes over with the same arguments."""
    python = old_python(tmp_path, "python3")
    (tmp_path / "python3.11").symlink_to(sys.executable)

    outcome = subprocess.run(
        [python, DEV, "help"], env={"PATH": str(tmp_path)}, capture_output=True, text=True, timeout=60, check=True
    )

    assert "./dev test" in outcome.stdout


def test_dev_can_be_read_by_an_old_python():
    """The file uses no grammar newer than Python 3.6, so that an old one reaches the line that says so."""
    assert ast.parse(DEV.read_text("utf-8"), feature_version=(3, 6))


def test_dev_needs_only_the_standard_library():
    """`./dev` imports nothing that a bare Python lacks."""
    with tokenize.open(DEV) as file:
        names = re.findall(r"^\s*(?:import|from) (\w+)", file.read(), re.MULTILINE)

    assert set(names) <= sys.stdlib_module_names
