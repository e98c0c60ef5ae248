"""Tests that the examples in the guide for authors of tools work."""

import os
import re
import subprocess
import sys
from pathlib import Path

import click

from chorus.cli.commands.fake_claude import fake_claude

GUIDE = Path(__file__).parents[3] / "docs" / "guide" / "fake-claude.md"


def examples(language):
    return re.findall(rf"```{language}\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)


def run_in(folder, *words):
    """Returns the outcome of a call in a folder, with the `chorus` under test on PATH."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_the_examples_of_the_guide_run(tmp_path):
    """The test in the guide passes, and its commands work with the recording of that test."""
    (test,), (commands,) = examples("python"), examples("sh")

    tested = run_in(tmp_path, sys.executable, "-c", test)
    called = run_in(tmp_path, "sh", "-e", "-c", commands)

    assert (tested.returncode, tested.stderr) == (0, "")
    assert (called.returncode, called.stderr) == (0, "")
    words, installed, result = called.stdout.splitlines()
    assert words == "All clean." and "bin/claude now plays" in installed and '"subtype":"success"' in result


def test_every_option_is_in_the_guide():
    """The guide describes every option of the command."""
    options = [name for option in fake_claude.params if isinstance(option, click.Option) for name in option.opts]

    assert [name for name in options if f"`{name}" not in GUIDE.read_text("utf-8")] == []
