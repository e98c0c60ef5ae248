"""A repository that GitButler manages, with the stand-in for `but` on PATH."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

DOUBLE = Path(__file__).parent / "but_double.py"


class ButlerRepository:
    """A git repository with one commit, and the calls and the state of the stand-in in it."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self.folder = root / "work"
        self.folder.mkdir()
        self.transcript = root / "transcript.jsonl"
        self.transcript.write_text("{}\n")
        self._git("init", "--quiet")
        (self.folder / "a.txt").write_text("one\n")
        self._git("add", "--all")
        self._git("-c", "user.name=Ada", "-c", "user.email=a@b.c", "commit", "--quiet", "--message", "first")
        (self.folder / ".git" / "gitbutler").mkdir()

    def install(self, version: str, **settings: str) -> None:
        """Puts the stand-in on PATH."""
        programs = self.folder.parent / "bin"
        programs.mkdir(exist_ok=True)
        program = programs / "but"
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -S {shlex.quote(str(DOUBLE))} "$@"\n')
        program.chmod(0o755)
        self._monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
        self._monkeypatch.setenv("BUT_VERSION", version)
        for name, value in settings.items():
            self._monkeypatch.setenv(name, value)

    def calls(self) -> list[list[str]]:
        return [each["words"] for each in self._logged()]

    def inputs(self) -> list[dict]:
        return [each["input"] for each in self._logged()]

    def state(self) -> dict:
        return json.loads((self.folder / ".git" / "gitbutler" / "double.json").read_text())

    def set_state(self, **changes: object) -> None:
        state = {"locks": {}, "stacks": {}, "branches": {}, "committed": {}, **changes}
        (self.folder / ".git" / "gitbutler" / "double.json").write_text(json.dumps(state))

    def _logged(self) -> list[dict]:
        place = self.folder / ".git" / "gitbutler" / "calls.jsonl"
        return [json.loads(line) for line in place.read_text().splitlines()] if place.exists() else []

    def _git(self, *words: str) -> None:
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
        subprocess.run(["git", *words], cwd=self.folder, env=environment, check=True)
