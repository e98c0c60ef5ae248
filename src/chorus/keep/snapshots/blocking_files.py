"""Finds files in the git folder of a person that git would wait for: it opens them whatever they are, also a pipe."""

import os
import re
import stat
from pathlib import Path

from chorus.base.regular_files import is_special

_NAMES = (
    "HEAD", "index", "config", "config.worktree", "packed-refs", "shallow", "info/grafts", "info/attributes",
    "info/exclude", "objects/info/alternates", "objects/info/commit-graph", "objects/info/commit-graphs",
)  # fmt: skip
_HEAD_MAX = 4_096
_MAX_BYTES = 1_000_000
_MAX_INCLUDED = 20
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_SECTION = re.compile(r"\s*\[\s*(include|includeif)\b", re.IGNORECASE)
_OTHER_SECTION = re.compile(r"\s*\[")
_PATH = re.compile(r"(?:\s*\[[^\]\n]*\])?\s*path\s*=\s*(.*)", re.IGNORECASE)


def holds_up_git(work_tree: Path, git_dir: Path, common_dir: Path) -> bool:
    """Returns whether a file that git opens first is a pipe or a device, also one that the configuration includes."""
    names = [folder / name for folder in dict.fromkeys((git_dir, common_dir)) for name in _NAMES]
    head = _read(git_dir / "HEAD", _HEAD_MAX).strip()
    if head.startswith("ref: refs/") and ".." not in head and "\0" not in head:
        names.append(common_dir / head.removeprefix("ref: "))
    waiting = [*names, work_tree / ".gitattributes", work_tree / ".mailmap"]
    if any(map(is_special, waiting)):
        return True
    left = [common_dir / "config", git_dir / "config.worktree"]
    for _ in range(_MAX_INCLUDED):
        if not left:
            return False
        place = left.pop()
        included = [place.parent / os.path.expanduser(each) for each in _included(_read(place, _MAX_BYTES))]  # noqa: PTH111
        if any(map(is_special, included)):
            return True
        left += included
    return bool(left)


def _included(text: str) -> list[str]:
    """Returns the values of `path` in the sections that include other files."""
    found: list[str] = []
    is_in = False
    for line in text.splitlines():
        if _OTHER_SECTION.match(line):
            is_in = _SECTION.match(line) is not None
        if is_in and (match := _PATH.match(line)):
            found.append(match[1].strip().strip('"'))
    return [each for each in found if each and "\0" not in each]


def _read(path: Path, size: int) -> str:
    try:
        fd = os.open(path, _FLAGS)
    except (OSError, ValueError):
        return ""
    try:
        return os.read(fd, size).decode("utf-8", "surrogateescape") if stat.S_ISREG(os.fstat(fd).st_mode) else ""
    except OSError:
        return ""
    finally:
        os.close(fd)
