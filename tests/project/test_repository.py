"""Tests of the repository: nothing of one machine is in it, tests run in one way, and maps are correct."""

import json
import re
import subprocess
import tempfile
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCKS = {"uv.lock", "poetry.lock", "Pipfile.lock", "pdm.lock", "package-lock.json", "yarn.lock", "pnpm-lock.yaml"}
# Each name is written so that this file does not contain what it looks for.
REGISTRIES = re.compile(
    r"py[p]i\.(?:org|python)|pythonhos[t]ed|npm[j]s\.(?:org|com)|yarn[p]kg\.com|anacon[d]a\.org|cra[t]es\.io"
    r"|jfr[o]g\.|artifact[o]ry|de[v]pi\.|ne[x]us\.|pkg\.de[v]\b|(?:extra[-_]|)inde[x][-_]url|find[-_]lin[k]s",
    re.IGNORECASE,
)
# The words of sessions stay unchanged.
VERBATIM = ("tests/corpus/",)


def tracked():
    """Returns the files that are part of the repository, or could be after the next commit."""
    call = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True).stdout
    except (FileNotFoundError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return sorted(path for name in set(listed.split("\0")) if name and (path := ROOT / name).is_file())


def texts():
    """Yields the name and text of each file outside the verbatim folders."""
    for path in tracked():
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(VERBATIM):
            yield name, path.read_text("utf-8", errors="replace")


def paths_of_this_machine(text, home, checkout):
    """Yields the paths in `text` that lead to a file or folder below `home` or `checkout`, or to `checkout` itself.

    An invented path such as a session's working folder leads nowhere, whatever the name of the home is.
    """
    for folder in {home, checkout} - {Path("/")}:
        for found in re.findall(re.escape(str(folder)) + r"(?:/[\w.@+-]+)+", text):
            if Path(found.rstrip(".")).exists():
                yield found
    temporary = Path(tempfile.gettempdir()).resolve()
    if (
        len(checkout.parts) > 2
        and temporary not in checkout.parents
        and re.search(re.escape(str(checkout)) + r"(?![\w-])", text)
    ):
        yield str(checkout)


def test_no_file_names_a_registry():
    """No file says where packages come from, because that is the reader's own setting."""
    assert {name: found.group() for name, text in texts() if (found := REGISTRIES.search(text))} == {}


@pytest.mark.parametrize(
    "host", ["https://py" + "pi.org/simple", "registry.npm" + "js.org", "--extra-index" + "-url x"]
)
def test_a_registry_is_recognised(host):
    """The check above finds the usual hosts and settings."""
    assert REGISTRIES.search(f"see {host} for more")


def test_no_file_names_this_machine():
    """No file contains a path of the machine on which it was written."""
    home = Path.home().resolve()

    assert {name: found for name, text in texts() if (found := list(paths_of_this_machine(text, home, ROOT)))} == {}


def test_a_path_of_this_machine_is_recognised(tmp_path):
    """A path that exists below home or checkout is found, and an invented one is not."""
    (tmp_path / "notes.txt").touch()
    text = f"see {tmp_path}/notes.txt, not {tmp_path}/invented.txt"

    assert list(paths_of_this_machine(text, tmp_path, ROOT)) == [f"{tmp_path}/notes.txt"]
    assert list(paths_of_this_machine(f"cd {ROOT}/src", Path("/nobody"), ROOT))


def names_a_host(lock):
    """Returns whether a lock file says where its packages come from. npm's notes about funding do not count."""
    if lock.name != "package-lock.json":
        return "://" in lock.read_text("utf-8")
    packages = json.loads(lock.read_text("utf-8"))["packages"].values()
    return "://" in json.dumps([{**package, "funding": None} for package in packages])


def test_no_lock_file_names_a_host():
    """A lock file may not name a host, so that each machine asks its own registry."""
    locks = [path for path in tracked() if path.name in LOCKS]

    assert [path.relative_to(ROOT).as_posix() for path in locks if names_a_host(path)] == []
    assert {path.parent.name for path in locks} >= {"web", "codegen"}


def test_every_npm_lock_stays_without_hosts():
    """Each folder with an npm lock has the setting that keeps hosts out of the lock."""
    locks = [path for path in tracked() if path.name == "package-lock.json"]

    assert [path for path in locks if "omit-lockfile-registry-resolved=true" not in settings_beside(path)] == []


def settings_beside(lock):
    path = lock.with_name(".npmrc")
    return path.read_text("utf-8") if path.exists() else ""


def test_ci_runs_dev_test_and_nothing_else():
    """Continuous integration runs exactly what a contributor runs."""
    script = ROOT / ".ci" / "run"
    lines = script.read_text("utf-8").splitlines()

    assert lines == ["#!/usr/bin/env bash", "set -eu", 'cd "$(dirname "$0")/.."', "exec ./dev test"]
    assert script.stat().st_mode & 0o111


def test_every_tool_is_set_in_one_place():
    """All tools are configured in pyproject.toml, and no other configuration file overrides it."""
    rivals = {"ruff.toml", ".ruff.toml", "pytest.ini", "pytest.toml", "tox.ini", "setup.cfg", "setup.py"}
    rivals |= {".importlinter", "pyrefly.toml", "mypy.ini"}
    assert [path.name for path in tracked() if path.name in rivals] == []

    tools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    assert {"ruff", "pyrefly", "pytest", "importlinter"} <= tools.keys()


@pytest.mark.parametrize("page", ["AGENTS.md", "CONTRIBUTING.md"])
def test_a_map_leads_somewhere(page):
    """Every path that a map names exists."""
    named = re.findall(
        r"`((?:src|tests|docs|tools|bench|web)/[\w./-]*|[\w-]+\.(?:md|toml))`", (ROOT / page).read_text("utf-8")
    )

    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_route_map_stays_short():
    """AGENTS.md stays short."""
    assert len((ROOT / "AGENTS.md").read_text("utf-8").splitlines()) <= 45


def test_every_package_has_its_folder_of_tests():
    """The tests of a package are found by its name: `core/query` is tested in `tests/core/query`."""
    packages = {
        path.parent.relative_to(ROOT / "src" / "chorus")
        for path in (ROOT / "src" / "chorus").glob("*/*/__init__.py")
        if path.parent.parent.name in ("core", "keep", "find", "steer", "show", "lab")
    }
    assert len(packages) > 20
    assert {str(each) for each in packages if not list((ROOT / "tests" / each).rglob("test_*.py"))} == set()
