"""Runs a command as a person does, in this process or in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner

from chorus.cli.main import cli

PATIENCE_S = 60
BROKEN = Path("/proc/self/mem")
"""A file that can be opened and fails when it is read, on systems that have it."""
SHARED = Path(__file__).resolve().parents[3] / "shared"
"""Recordings that lie beside the clone on the machines that have them."""


def run(*arguments, given=None):
    """Returns the outcome of `chorus …` in this process: `.stdout_bytes`, `.stderr`, `.exit_code`."""
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], input=given, catch_exceptions=False)


def run_process(*arguments, given=b"", **options):
    """Returns the outcome of `chorus …` as a process: its exit code and the output of its pipes."""
    call = [sys.executable, "-m", "chorus", *map(str, arguments)]
    return subprocess.run(call, input=given, capture_output=True, timeout=PATIENCE_S, check=False, **options)


def run_json(*arguments, given=None):
    """Returns the JSON object that `chorus … --json` prints."""
    return json.loads(run(*arguments, "--json", given=given).stdout_bytes)


def below(folder):
    """Returns every .jsonl file below a folder, also in hidden folders."""
    return sorted(str(path) for path in Path(folder).rglob("*.jsonl"))
