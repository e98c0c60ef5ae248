"""Compares the programs that settings name with those from the start of a run.

A hook may answer the client's questions, so an agent that replaces its program would answer them itself.
"""

import hashlib
import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

from msgspec import Struct

from chorus.steer.client_settings.effects import effects_of
from chorus.steer.client_settings.file_changes import Change, content_of, difference, stamp_of
from chorus.steer.client_settings.named_programs import command_lines, named_programs
from chorus.steer.hooks.script import script

_MAX_BYTES = 4 << 20


class _Seen(Struct):
    stamp: tuple[int, ...]
    text: str
    digest: str


_GONE = _Seen((), "", "")


class PinnedPrograms:
    """The programs of hooks, helpers and servers."""

    def __init__(self, folder: Path, hook_program: Path | None) -> None:
        """`folder` is where the client works; `hook_program` is what `chorus hooks` installs, also during a run."""
        self._folder = folder
        self._hook_program = hook_program
        self._seen: dict[Path, _Seen] = {}
        self._lines: dict[Path, tuple[str, list[list[str]]]] = {}
        """The command lines of each settings file, with the text that they were read from."""

    def changes(self, settings: dict[Path, str]) -> list[Change]:
        """Returns the programs that were replaced, appeared or disappeared; each change once.

        `settings` are the texts of all settings files.
        """
        found: list[Change] = []
        named, reported = self._named(settings)
        for path in named | self._seen.keys():
            before = self._seen.get(path, _GONE)
            now = _program(path, before)
            is_first = path not in self._seen
            self._seen[path] = now
            if now.digest == before.digest:
                continue
            if is_first and path == self._hook_program:
                # It may be installed during a run, by this Chorus.
                is_expected = now.digest == _digest(script(sys.executable))
            else:
                is_expected = is_first and path in reported
            if not is_expected:
                found.append(_program_change(path, before, now))
        return found

    def _named(self, settings: dict[Path, str]) -> tuple[set[Path], set[Path]]:
        """Returns the files of all programs that the settings name, and those of settings that changed themselves."""
        named: set[Path] = set()
        reported: set[Path] = set()
        for path, text in settings.items():
            known, lines = self._lines.get(path, (None, []))
            is_new = known is not text
            if is_new:
                lines = list(command_lines(_commands_in(path, text)))
                self._lines[path] = (text, lines)
            if lines:
                places = {"CLAUDE_PROJECT_DIR": str(self._folder), "CLAUDE_PLUGIN_ROOT": str(_plugin_root(path))}
                found = named_programs(lines, self._folder, os.environ | places)
                named |= found
                reported |= found if is_new else set()
        return named, reported


def _commands_in(path: Path, text: str) -> Any:
    """Returns the settings of a file, or the commands in the front matter of a definition."""
    if path.suffix == ".md":
        return [
            {"command": line.partition("command:")[2].strip(" \"'")} for line in effects_of(path.name, text.encode())
        ]
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _plugin_root(path: Path) -> Path:
    """Returns the folder that a plugin's own commands start from."""
    return path.parent.parent if path.parent.name in ("hooks", ".claude-plugin") else path.parent


def _program(path: Path, before: _Seen) -> _Seen:
    """Returns the state of a program: the same object if it is unchanged. A large one is known by its stamp alone."""
    try:
        status = path.stat()
        stamp = stamp_of(status)
        if before.stamp == stamp:
            return before
        if not stat.S_ISREG(status.st_mode):
            return _Seen(stamp, "", "it is no regular file")
        if status.st_size > _MAX_BYTES:
            return _Seen(stamp, "", str(stamp))
        data = content_of(path, _MAX_BYTES)
    except (OSError, ValueError):
        return _GONE
    return _Seen(stamp, "" if b"\0" in data else data.decode("utf-8", "replace"), _digest(data))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _program_change(path: Path, before: _Seen, now: _Seen) -> Change:
    what = "is gone" if not now.digest else "is new" if not before.digest else "was replaced"
    return Change(str(path), f"a program that settings name {what}", difference(str(path), before.text, now.text))
