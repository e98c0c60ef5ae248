"""Patterns in the values of fields: `tool:mcp__*`, `file:src/**/*.py`, `model:opus`."""

from fnmatch import fnmatchcase


def is_match(pattern: str, value: str, *, kind: str) -> bool:
    """Whether a value is meant. A tool is named as a whole, a file by the end of its path, all else by any part.

    `*` stands for any characters; in a file it stays within its folder, and `**` stands for any folders. Letters count
    the same in either case.
    """
    pattern, value = pattern.lower(), value.lower()
    if kind == "file":
        return _is_path(pattern.replace("\\", "/"), value.replace("\\", "/"))
    if kind == "tool":
        return _is_like(pattern, value)
    return _is_like(f"*{pattern}*", value)


def literal_of(pattern: str) -> str:
    """The longest piece of a pattern that every value it means must hold."""
    return max(pattern.replace("?", "*").split("*"), key=len)


def _is_like(pattern: str, value: str) -> bool:
    # Brackets are names of files (`[id].tsx`), not sets of characters.
    return fnmatchcase(value, pattern.replace("[", "[[]"))


def _is_path(pattern: str, value: str) -> bool:
    names = value.split("/")
    wanted = pattern.split("/")
    if not pattern.startswith("/"):
        wanted = ["**", *wanted]
    reached = {0}
    for want in wanted:
        if want == "**":
            reached = set(range(min(reached), len(names) + 1)) if reached else reached
        else:
            reached = {n + 1 for n in reached if n < len(names) and _is_like(want, names[n])}
    return len(names) in reached
