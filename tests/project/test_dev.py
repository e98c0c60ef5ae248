"""Tests of `./dev`, the one command of a contributor."""

import ast
import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DEV = ROOT / "dev"


def test_dev_explains_itself():
    """`./dev help` lists every task and sets nothing up. Without a task, `./dev` shows the same and fails."""
    asked = subprocess.run([sys.executable, DEV, "help"], capture_output=True, text=True, timeout=60, check=True)
    bare = subprocess.run([sys.executable, DEV], capture_output=True, text=True, timeout=60, check=False)

    tasks = {line.split()[1] for line in asked.stdout.splitlines() if line.startswith("./dev ")}
    assert tasks == {"test", "check", "fix", "generate", "bench", "chorus", "serve", "screenshots", "walk", "docs"}
    assert (bare.stdout, bare.returncode) == (asked.stdout, 2)


def test_an_unknown_task_is_one_line():
    """An unknown task gives one line and exit code 2."""
    outcome = subprocess.run([sys.executable, DEV, "tset"], capture_output=True, text=True, timeout=60, check=False)

    assert (outcome.returncode, outcome.stdout) == (2, "")
    assert outcome.stderr == "./dev: there is no task 'tset'; ./dev help lists them\n"


def old_python(folder, name):
    """Builds a program `name` in `folder` that claims to be Python 3.6 while it runs a file."""
    program = folder / name
    program.write_text(
        f"#!{sys.executable}\n"
        "import runpy, sys\n"
        "sys.version_info = (3, 6, 15, 'final', 0)\n"
        "sys.argv = sys.argv[1:]\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    program.chmod(0o755)
    return program


@pytest.mark.skipif(os.name == "nt", reason="the pretended interpreters are shell programs")
def test_an_old_python_gets_one_clear_line(tmp_path):
    """If no newer Python exists, one line names the version that is needed."""
    python = old_python(tmp_path, "python3")
    broken = tmp_path / "python3.13"
    broken.write_text("#!/bin/sh\nexit 127\n")
    broken.chmod(0o755)

    outcome = subprocess.run(
        [python, DEV, "help"], env={"PATH": str(tmp_path)}, capture_output=True, text=True, timeout=60, check=False
    )

    assert (outcome.returncode, outcome.stdout) == (1, "")
    assert outcome.stderr == "./dev needs Python 3.11 or newer: this is 3.6, and PATH has no other.\n"


@pytest.mark.skipif(os.name == "nt", reason="the pretended interpreters are shell programs")
def test_an_old_python_hands_over_to_a_newer_one(tmp_path):
    """If PATH has a newer Python that runs, it continues with the same arguments."""
    python = old_python(tmp_path, "python3")
    (tmp_path / "python3.11").symlink_to(sys.executable)

    outcome = subprocess.run(
        [python, DEV, "help"], env={"PATH": str(tmp_path)}, capture_output=True, text=True, timeout=60, check=True
    )

    assert "./dev test" in outcome.stdout


def loaded_dev():
    """Returns `./dev` as a module."""
    loader = importlib.machinery.SourceFileLoader("dev_of_chorus", str(DEV))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap exists for Linux only")
@pytest.mark.parametrize(
    ("code", "user", "said"),
    [
        (0, 0, "installing bubblewrap"),
        (100, 0, "the tests that need them will be skipped"),
        (0, 1000, ""),
    ],
)
def test_bubblewrap_is_installed_for_root_on_debian(tmp_path, monkeypatch, capfd, code, user, said):
    """Root gets bubblewrap and tmux from apt.

    If that fails, one line says what will be skipped, and for other users apt does not run.
    """
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    dev = loaded_dev()
    apt = tmp_path / "apt-get"
    apt.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\nexit {code}\n')
    apt.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: user)
    (tmp_path / "sh").symlink_to("/bin/sh")

    dev.end_programs(dev.begin_programs())

    assert said in capfd.readouterr().err
    asked = (tmp_path / "asked").read_text().split() if user == 0 else []
    wanted = {(0, 0): ["bubblewrap"], (100, 0): ["bubblewrap", "update"], (0, 1000): []}[code, user]
    assert [word for word in asked if word in ("bubblewrap", "update")] == wanted
    assert (tmp_path / "asked").exists() == (user == 0)


def test_dev_can_be_read_by_an_old_python():
    """The file uses no grammar newer than Python 3.6, so an old Python reaches the line that names the version."""
    assert ast.parse(DEV.read_text("utf-8"), feature_version=(3, 6))


def test_dev_needs_only_the_standard_library():
    """`./dev` imports only the standard library."""
    with tokenize.open(DEV) as file:
        names = re.findall(r"^\s*(?:import|from) (\w+)", file.read(), re.MULTILINE)

    assert set(names) <= sys.stdlib_module_names


SOMETIMES = """
from pathlib import Path

def test_only_fails_at_first():
    mark = Path(__file__).with_name("tried")
    was_tried = mark.exists()
    mark.touch()
    assert was_tried

def test_passes():
    pass
"""
ALWAYS = "def test_fails():\n    assert False\n"
MANY = "\n".join(f"def test_{n}():\n    assert False\n" for n in range(9))


@pytest.mark.parametrize(
    ("text", "code", "has_second_try"), [(SOMETIMES, 0, True), (ALWAYS, 1, True), (MANY, 1, False)]
)
def test_few_failures_are_tried_once_more(tmp_path, monkeypatch, capfd, text, code, has_second_try):
    """A test that fails alone too fails the run; one that passes alone is named; many failures are final."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    dev = loaded_dev()
    (tmp_path / "test_it.py").write_text(text)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    monkeypatch.setattr(dev, "ROOT", tmp_path)
    monkeypatch.setattr(dev, "PYTHON", Path(sys.executable))
    monkeypatch.setattr(dev, "run", lambda *call: subprocess.call(dev.command(*call), cwd=tmp_path))

    assert dev.run_tests([]) == code

    assert ("UNSTABLE test_it.py::" in capfd.readouterr().out) == has_second_try
