"""Worktrees of a workspace's own repository that are folders in the workspace: sub-agents work in such ones."""

import os
import stat
from pathlib import Path

from chorus.keep.snapshots.file_reading import path_in
from chorus.keep.snapshots.persons_repository import find_place

_MAX_DEPTH = 50


def worktree_around(workspace: Path, place: str) -> bytes:
    """Returns the path in the workspace of the innermost worktree around a folder; empty if it is in none.

    A repository of its own counts as none, nor does a worktree of another repository. No link is followed.
    """
    inside = path_in(workspace, place)
    names = inside.split(b"/") if inside else []
    if not names or len(names) > _MAX_DEPTH:
        return b""
    own = find_place(workspace)
    found = b""
    for depth in range(1, len(names) + 1):
        below = b"/".join(names[:depth])
        at = workspace / os.fsdecode(below)
        if own is None or not stat.S_ISDIR(_mode(at)):
            break
        mode = _mode(at / ".git")
        if mode:
            there = find_place(at) if stat.S_ISREG(mode) else None
            is_ours = there is not None and there.work_tree == at and there.common_dir == own.common_dir
            found = below if is_ours else b""
    return found


def _mode(path: Path) -> int:
    try:
        return path.lstat().st_mode
    except OSError:
        return 0
