"""Builds and installs packages as people do, with the tools of the development environment but outside it."""

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 240


def tool(name):
    """Returns the path of a tool, from the development environment first.

    The test is skipped if it is not available.
    """
    found = shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed and ./dev could not install it")
    return found


def run(*call, cwd, **settings):
    """Runs a program that must succeed, outside the development environment, and returns its standard output."""
    inherited = {
        k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT"}
    }
    outcome = subprocess.run(
        [str(part) for part in call],
        cwd=cwd,
        env=inherited | {name: str(value) for name, value in settings.items()},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    return outcome.stdout


def packaged_files():
    """Returns the files of the package in the checkout: sources, the typing marker and data."""
    package = ROOT / "src" / "chorus"
    return {
        path.relative_to(ROOT / "src").as_posix()
        for path in package.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
