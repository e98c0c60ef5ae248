"""A file that changed since it was pinned, and how files are read for the comparison: never waiting for one."""

import difflib
import os
import stat
from pathlib import Path

from msgspec import Struct

_MAX_DIFF = 4_000
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


class Change(Struct, frozen=True):
    """A file whose effects changed since it was pinned."""

    path: str
    words: str
    """What it does now and did not do before."""
    diff: str
    """The difference, line by line."""


def difference(name: str, before: str, now: str) -> str:
    """Returns what changed in a text, as a unified diff of limited length."""
    lines = difflib.unified_diff(
        before.splitlines(), now.splitlines(), f"{name} (before)", f"{name} (now)", lineterm=""
    )
    return "\n".join(lines)[:_MAX_DIFF]


def stamp_of(status: os.stat_result) -> tuple[int, ...]:
    """Returns what differs after any change of a file, short of changing the clock."""
    return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def content_of(path: Path, most: int) -> bytes:
    """Returns the first bytes of a file. Raises `OSError` if it is no regular file; it never waits for one."""
    with os.fdopen(os.open(path, _READ), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(f"{path}: is no regular file")
        return file.read(most)
