"""Builds `npx` and `uvx` commands that run local packages, so that nothing is downloaded."""

import json
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import chorus

_BEHIND = """#!/usr/bin/env node
const { spawn } = require("node:child_process")
const [program, ...rest] = process.argv.slice(2)
spawn(program, rest, { stdio: "inherit" }).on("exit", (code) => process.exit(code ?? 1))
"""


def npx(folder: Path) -> list[str]:
    """Returns the words before a command that let a local npm package run it, as published wrappers do."""
    package = folder / "behind"
    package.mkdir()
    about = {"name": "behind", "version": "1.0.0", "bin": {"behind": "behind.js"}}
    (package / "package.json").write_text(json.dumps(about))
    (package / "behind.js").write_text(_BEHIND)
    (package / "behind.js").chmod(0o755)
    return ["npx", "--offline", "--yes", str(package)]


def uvx(program: str, folder: Path) -> list[str]:
    """Returns `uvx --from WHEEL chorus` with `program` as uvx. The wheel refers to this Chorus and its dependencies."""
    wheel = folder / "chorus-0.0.0-py3-none-any.whl"
    about = "chorus-0.0.0.dist-info"
    places = [Path(chorus.__file__).parents[1], Path(sysconfig.get_paths()["purelib"])]
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("beside.pth", "".join(f"{place}\n" for place in places))
        archive.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: chorus\nVersion: 0.0.0\n")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{about}/entry_points.txt", "[console_scripts]\nchorus = chorus.cli.main:main\n")
        archive.writestr(f"{about}/RECORD", "")
    return [program, "--offline", "--python", sys.executable, "--from", str(wheel), "chorus"]


def find_uvx(folder: Path, *, may_install: bool) -> str | None:
    """Returns the path of uvx. If it is missing, pip installs it below `folder`, if that is allowed and works."""
    found = shutil.which("uvx")
    if found is not None or not may_install:
        return found
    place = folder / "uv"
    made = [sys.executable, "-m", "venv", str(place)]
    brought = [str(place / "bin" / "pip"), "install", "--quiet", "uv"]
    if any(subprocess.run(call, capture_output=True, check=False).returncode for call in (made, brought)):
        return None
    return str(place / "bin" / "uvx")
