"""Tests of the package as people install it: a wheel in an empty environment, pipx and uvx."""

import os
import sys
import tomllib
import zipfile
from pathlib import Path

from tests.support.packages import packaged_files, run, tool

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
VERSION = f"chorus {PROJECT['version']}\n"


def test_the_wheel_runs_in_an_empty_environment(tmp_path):
    """A wheel contains every file of the package. Installed with its dependencies only, it gives the command."""
    uv = tool("uv")
    run(uv, "build", "--quiet", "--wheel", "--out-dir", tmp_path / "dist", ROOT, cwd=tmp_path)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert packaged_files() <= names
    assert {"chorus/py.typed", "chorus/show/server/app/index.html"} <= names
    assert {name.partition("/")[0] for name in names} == {"chorus", f"chorus_agents-{PROJECT['version']}.dist-info"}

    home = tmp_path / "venv"
    run(uv, "venv", "--quiet", "--python", sys.executable, home, cwd=tmp_path)
    folder = home / ("Scripts" if os.name == "nt" else "bin")
    run(uv, "pip", "install", "--quiet", "--python", folder / "python", wheel, cwd=tmp_path)

    assert run(folder / "chorus", "--version", cwd=tmp_path) == VERSION
    assert run(folder / "python", "-m", "chorus", "--version", cwd=tmp_path) == VERSION
    assert run(folder / "chorus", "completion", "fish", cwd=tmp_path)


def test_pipx_installs_the_command(tmp_path):
    """`pipx install .` installs a working command, with all of pipx's state in a folder of its own."""
    state = {"PIPX_HOME": tmp_path / "home", "PIPX_BIN_DIR": tmp_path / "bin", "PIPX_MAN_DIR": tmp_path / "man"}
    run(tool("pipx"), "install", "--python", sys.executable, ROOT, cwd=tmp_path, **state)

    assert run(tmp_path / "bin" / "chorus", "--version", cwd=tmp_path) == VERSION


def test_uvx_runs_the_command(tmp_path):
    """`uvx --from . chorus` runs the checkout without a permanent installation."""
    call = [tool("uvx"), "--quiet", "--python", sys.executable, "--from", ROOT, "chorus", "--version"]

    assert run(*call, cwd=tmp_path, UV_TOOL_DIR=tmp_path / "tools", UV_TOOL_BIN_DIR=tmp_path / "bin") == VERSION
