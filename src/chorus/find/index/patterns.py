"""Matches patterns in the values of fields: `tool:mcp__*`, `file:src/**/*.py`, `model:opus`."""

import re
from fnmatch import fnmatchcase

_WILD = re.compile(r"[*?]|[^\x00-\x7f]")
"""Characters that a matching value need not contain literally. LIKE ignores case only for ASCII letters."""


def is_match(pattern: str, value: str, *, kind: str) -> bool:
    """Whether the pattern matches a value: a tool by its whole name, a file by the end of its path, others by any part.

    `*` matches any characters and `?` one character; in a file they do not cross folders, and `**` matches any number
    of folders. Case is ignored. Where folders are named, slashes and backslashes are equal.
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
    """Returns the longest text that every matching path must contain, with slashes between folders."""
    wanted = [step for step in _steps(pattern) if step != "**"]
    return max((piece for step in wanted for piece in _WILD.split(step)), key=len, default="")


def slashed(path: str) -> str:
    """Returns a path of any system with slashes between its folders."""
    return path.replace("\\", "/")


def _is_like(pattern: str, value: str) -> bool:
    # Brackets are part of file names (`[id].tsx`), not sets of characters.
    return fnmatchcase(value, pattern.replace("[", "[[]"))


def _steps(pattern: str) -> list[str]:
    """Splits a pattern into folders. A folder alone matches everything below it; a leading `~` or `.` is ignored."""
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
