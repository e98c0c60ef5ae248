"""What people put before a command: `npx` and `uvx` with packages that lie on this disk, so nothing is downloaded."""

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
    """What to put before a command so that a local npm package runs it, as published wrappers do."""
    package = folder / "behind"
    package.mkdir()
    about = {"name": "behind", "version": "1.0.0", "bin": {"behind": "behind.js"}}
    (package / "package.json").write_text(json.dumps(about))
    (package / "behind.js").write_text(_BEHIND)
    (package / "behind.js").chmod(0o755)
    return ["npx", "--offline", "--yes", str(package)]


def uvx(program: str, folder: Path) -> list[str]:
    """`uvx --from WHEEL chorus`, with `program` for uvx: the wheel leads to this Chorus and what it depends on."""
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
    """The path of uvx; where it is not installed it is put below `folder` with pip, if that is allowed and works."""
    found = shutil.which("uvx")
    if found is not None or not may_install:
        return found
    place = folder / "uv"
    made = [sys.executable, "-m", "venv", str(place)]
    brought = [str(place / "bin" / "pip"), "install", "--quiet", "uv"]
    if any(subprocess.run(call, capture_output=True, check=False).returncode for call in (made, brought)):
        return None
    return str(place / "bin" / "uvx")
