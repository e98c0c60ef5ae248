"""Patterns in the values of fields: `tool:mcp__*`, `file:src/**/*.py`, `model:opus`."""

import re
from fnmatch import fnmatchcase

_WILD = re.compile(r"[*?]|[^\x00-\x7f]")
"""What a value that is meant need not hold as it is written; LIKE knows the case of ASCII letters alone."""


def is_match(pattern: str, value: str, *, kind: str) -> bool:
    """Whether a value is meant. A tool is named as a whole, a file by the end of its path, all else by any part.

    `*` stands for any characters and `?` for one; in a file they stay within their folder, and `**` stands for any
    folders. Letters count the same in either case, and so do slashes and backslashes where folders are named.
    """
    pattern, value = pattern.lower(), value.lower()
    if kind == "file":
        return _is_path(_steps(pattern), slashed(value).split("/"))
    if kind == "tool":
        return _is_like(pattern, value)
    if kind == "workspace":
        pattern, value = slashed(pattern), slashed(value)
    return _is_like(f"*{pattern}*", value)


def literal_of(pattern: str) -> str:
    """The longest piece of the pattern of a file that the path of each file it means must hold, by slashes."""
    wanted = [step for step in _steps(pattern) if step != "**"]
    return max((piece for step in wanted for piece in _WILD.split(step)), key=len, default="")


def slashed(path: str) -> str:
    """A path of any system with slashes between its folders."""
    return path.replace("\\", "/")


def _is_like(pattern: str, value: str) -> bool:
    # Brackets are names of files (`[id].tsx`), not sets of characters.
    return fnmatchcase(value, pattern.replace("[", "[[]"))


def _steps(pattern: str) -> list[str]:
    """A pattern from folder to folder. A folder alone means what is below it; `~` and `.` say nothing of a path."""
    pattern = slashed(pattern)
    if pattern.endswith("/"):
        pattern += "**"
    if pattern.startswith("/"):
        return pattern.split("/")
    return ["**", *pattern.removeprefix("~/").removeprefix("./").split("/")]


def _is_path(steps: list[str], names: list[str]) -> bool:
    reached = {0}
    for step in steps:
        if step == "**":
            reached = set(range(min(reached), len(names) + 1)) if reached else reached
        else:
            reached = {n + 1 for n in reached if n < len(names) and _is_like(step, names[n])}
    return len(names) in reached
