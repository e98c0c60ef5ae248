"""Tests of law 4, one door per effect: the import contracts, and the effects that need no import."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PURE = {"The core does no I/O", "What is judged about approvals is judged without the world"}
"""The contracts whose modules depend on their arguments alone."""
GROUPS, PACKAGES = "Groups depend on each other one way", "Packages of a group depend on each other one way"
LINT = "from importlinter.cli import lint_imports_command; lint_imports_command()"
EFFECTS = {"open", "input", "print", "exec", "eval", "breakpoint", "__import__"}
CLOCKS = {"now", "utcnow", "today"}


def lint_imports(root):
    """Returns the exit code and the output of import-linter for the package `chorus` under `root`/src."""
    call = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(root / 'src')!r}); {LINT}", "--no-cache"]
    return subprocess.run(call, cwd=root, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def copy(tmp_path):
    """A copy of the package and its contracts that a test may break."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_import_contracts_hold():
    """The package obeys every import contract of pyproject.toml."""
    outcome = lint_imports(ROOT)

    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    assert "0 broken" in outcome.stdout


@pytest.mark.parametrize(
    ("file", "line", "contract"),
    [
        ("core/records/place.py", "import chorus.cli.main", GROUPS),
        ("utils/__init__.py", "", GROUPS),
        ("core/utils/__init__.py", "", PACKAGES),
        ("core/records/place.py", "import os", "The core does no I/O"),
        ("core/conversation/__init__.py", "from time import time", "The core does no I/O"),
        ("core/spending/__init__.py", "from pathlib import Path", "The core does no I/O"),
        ("lab/fake_claude/player.py", "import time", "The core does no I/O"),
        ("errors.py", "import click", "Only the command line knows click"),
        ("core/records/place.py", "from rich.text import Text", "Only views and the command line draw with rich"),
        ("steer/approvals/lifecycle.py", "import os", "What is judged about approvals is judged without the world"),
        (
            "steer/approvals/verdict.py",
            "import chorus.steer.approvals.ledger",
            "What is judged about approvals is judged without the world",
        ),
        ("steer/approvals/ledger.py", "import fcntl", "Approvals are written and locked by the journal alone"),
        ("cli/main.py", "import cryptography", "Only signing, push messages and certificates know cryptography"),
        ("cli/main.py", "import sqlite3", "Only the named modules use processes, SQL and the network"),
        ("cli/main.py", "from subprocess import run", "Only the named modules use processes, SQL and the network"),
        ("cli/main.py", "import socket", "Only the named modules use processes, SQL and the network"),
        ("steer/workspaces/start.py", "import subprocess", "Only the named modules use processes, SQL and the network"),
        ("steer/runs/run_folders.py", "import socket", "Only the named modules use processes, SQL and the network"),
        ("core/protocol/launch.py", "import subprocess", "The core does no I/O"),
        ("steer/runs/run_folders.py", "import chorus.steer.workspaces.start", PACKAGES),
    ],
)
def test_a_wrong_import_breaks_its_contract(copy, file, line, contract):
    """An import against the layers, or around a door, breaks the contract that forbids it."""
    path = copy / "src" / "chorus" / file
    path.parent.mkdir(exist_ok=True)
    with path.open("a") as module:
        module.write(f"\n{line}\n")

    outcome = lint_imports(copy)

    assert outcome.returncode == 1
    assert f"{contract} BROKEN" in " ".join(outcome.stdout.split())


def uses_of_effects(source):
    """Yields the lines that have an effect without an import: builtins, and the clock inside datetime."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in EFFECTS:
                yield node.lineno, name
            case ast.Call(func=ast.Attribute(attr=name)) if name in CLOCKS:
                yield node.lineno, name


def pure_modules():
    """Returns the names of the modules and packages that the contracts in `PURE` are about."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    return sorted({name for each in contracts if each["name"] in PURE for name in each["source_modules"]})


@pytest.mark.parametrize("name", pure_modules())
def test_a_pure_module_reads_no_file_and_no_clock(name):
    """No module that a contract calls pure opens files, prints, evaluates code or asks for the time."""
    place = ROOT / "src" / Path(*name.split("."))
    modules = sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
    assert modules

    found = {path.name: uses for path in modules if (uses := list(uses_of_effects(path.read_text("utf-8"))))}
    assert found == {}


def modules_called_pure():
    """Returns the modules whose docstring says that they are pure."""
    found = [
        path
        for path in sorted((ROOT / "src" / "chorus").rglob("*.py"))
        if re.search(r"\bPure\b", ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "")
    ]
    assert len(found) > 50
    return found


def test_a_module_that_is_called_pure_imports_no_effect():
    """A module whose docstring says "Pure" imports nothing that the core may not import, and has no effect itself."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    forbidden = {name for each in contracts if each["name"] in PURE for name in each["forbidden_modules"]}
    found = {}
    for path in modules_called_pure():
        source = path.read_text("utf-8")
        wrong = [*imported(source) & forbidden, *uses_of_effects(source)]
        if wrong:
            found[path.relative_to(ROOT).as_posix()] = wrong

    assert found == {}


def imported(source):
    """Returns the top-level names of the modules that a source imports anywhere."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=aliases):
                names |= {each.name.partition(".")[0] for each in aliases}
            case ast.ImportFrom(module=str(module)):
                names.add(module.partition(".")[0])
    return names


@pytest.mark.parametrize("line", ["open('x')", "datetime.now()", "date.today()", "print(1)", "eval('1')"])
def test_an_effect_without_import_is_seen(line):
    """The check above finds each kind of effect."""
    assert list(uses_of_effects(f"def f():\n    return {line}\n"))
