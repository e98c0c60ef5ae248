"""Finds the programs that the client's settings name: those of hooks, helpers and servers.

Whoever replaces one of these files decides what the client runs, and a hook can also answer its questions.
"""

import os
import re
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

_MOST = 500
_HELPER = re.compile(r"[A-Za-z]{1,40}(?:Helper|Refresh|Export|Wrapper)")
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_][A-Za-z0-9_]{0,80})\}|([A-Za-z_][A-Za-z0-9_]{0,80}))")
_INTERPRETER = re.compile(
    r"(?:python|pypy|node|deno|bun|ruby|perl|php|bash|sh|zsh|dash|ksh|fish|uv|uvx|npx|tsx|lua|pwsh|osascript)[0-9.]{0,8}"
)
_SEPARATORS = frozenset(";&|()\n")


def named_programs(lines: Iterable[list[str]], folder: Path, variables: Mapping[str, str]) -> set[Path]:
    """Returns the files of the programs in command lines, as far as their words show them.

    `folder` is where the client works; `variables` are those of the client's environment.
    """
    found: set[Path] = set()
    for words in lines:
        before: list[str] = []
        for word in words:
            if set(word) <= _SEPARATORS:
                before = []
                continue
            path = _file(word, folder, variables, is_first=not before)
            # Other words are what the program works on, such as the sources that a formatter rewrites.
            if path is not None and (not before or _is_interpreted(before) or os.access(path, os.X_OK)):
                found.add(path)
            if not (word.startswith("-") or (not before and "=" in word)):
                before.append(word)
        if len(found) > _MOST:
            break
    return found


def command_lines(settings: Any) -> Iterator[list[str]]:
    """Yields the words of every command line in a settings object, at any depth."""
    waiting = [settings]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += each
        if not isinstance(each, dict):
            continue
        waiting += each.values()
        if isinstance(each.get("command"), str):
            more = each.get("args")
            texts = [word for word in more if isinstance(word, str)] if isinstance(more, list) else []
            yield [*_words(each["command"]), *texts]
        yield from (_words(value) for key, value in each.items() if isinstance(value, str) and _HELPER.fullmatch(key))


def _words(command: str) -> list[str]:
    reader = shlex.shlex(command, posix=True, punctuation_chars=True)
    reader.whitespace_split = True
    reader.commenters = ""
    try:
        return list(reader)
    except ValueError:
        return command.replace('"', " ").replace("'", " ").split()


def _file(word: str, folder: Path, variables: Mapping[str, str], *, is_first: bool) -> Path | None:
    """Returns the file that a word names, whether it exists or not if it is a path; None if it names none."""
    text = _VARIABLE.sub(lambda found: variables.get(found[1] or found[2], ""), word)
    if text.startswith("~/"):
        text = variables.get("HOME", "~") + text[1:]
    if not text or "\0" in text or text.startswith("-"):
        return None
    if "/" in text:
        return folder / text if is_first or os.path.isfile(folder / text) else None  # noqa: PTH113 - never raises
    if is_first:
        place = shutil.which(text, path=variables.get("PATH"))
        return Path(place) if place else None
    return folder / text if os.path.isfile(folder / text) else None  # noqa: PTH113 - never raises


def _is_interpreted(before: list[str]) -> bool:
    return all(_INTERPRETER.fullmatch(each.rpartition("/")[2]) or each in ("run", "exec", "env") for each in before)
