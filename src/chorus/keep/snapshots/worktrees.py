"""Temporary worktrees of a person's repository. One that a killed process left behind is removed by the next one."""

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chorus.base.git import PersonsGit
from chorus.keep.vault.safe_files import CHANGE, open_file, open_locked, try_lock

_PREFIX = "chorus-publish-"
_LOCK = ".lock"
_LINE = b"worktree "


@contextmanager
def temporary_worktree(git: PersonsGit, commit: str) -> Iterator[Path]:
    """Yields a new worktree of the repository at a commit, on no branch. It is gone afterwards."""
    remove_left_over(git)
    above = Path(tempfile.gettempdir()) / f"{_PREFIX}{secrets.token_hex(8)}"
    # The lock is free as soon as this process is gone, however it ended.
    fd = open_locked(_lock_of(above))
    try:
        above.mkdir(mode=0o700)
        place = above / "worktree"
        git.run("worktree", "add", "--quiet", "--detach", os.fspath(place), commit)
        yield place
    finally:
        _remove(git, above)
        os.close(fd)


def remove_left_over(git: PersonsGit) -> None:
    """Removes the temporary worktrees of processes that are gone.

    What the repository says counts only if the folder has the name and the place of one.
    """
    folder = Path(tempfile.gettempdir())
    for lock in folder.glob(f"{_PREFIX}*{_LOCK}"):
        try:
            fd = open_file(lock, CHANGE)
        except OSError:
            # Of another user, or gone meanwhile.
            continue
        try:
            if os.fstat(fd).st_uid == os.geteuid() and try_lock(fd):
                _remove(git, lock.with_suffix(""))
        finally:
            os.close(fd)
    for line in git.ask("worktree", "list", "--porcelain").output.split(b"\n"):
        above = Path(os.fsdecode(line.removeprefix(_LINE))).parent
        is_ours = above.name.startswith(_PREFIX) and above.parent in (folder, folder.resolve())
        if line.startswith(_LINE) and is_ours and not os.path.lexists(above) and not _lock_of(above).exists():
            _remove(git, above)


def _lock_of(above: Path) -> Path:
    return above.with_name(above.name + _LOCK)


def _remove(git: PersonsGit, above: Path) -> None:
    git.ask("worktree", "remove", "--force", "--force", os.fspath(above / "worktree"))
    if not above.is_symlink():
        shutil.rmtree(above, ignore_errors=True)
    _lock_of(above).unlink(missing_ok=True)
