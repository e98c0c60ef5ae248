"""Packages as people build and install them: tools of the development environment, run as if it did not exist."""

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 240


def tool(name):
    """The tool of the development environment; its absence is a reason to skip only if it cannot be had at all."""
    found = shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed and ./dev could not install it")
    return found


def run(*call, cwd, **settings):
    """The standard output of a program that must succeed, in an environment that knows nothing of this one."""
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
    """What the checkout holds of the package: sources, the typing marker, data."""
    package = ROOT / "src" / "chorus"
    return {
        path.relative_to(ROOT / "src").as_posix()
        for path in package.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
