"""Finds the tmux servers of this user: the sockets in tmux's own folder, and those that the settings name."""

import os
import stat
from collections.abc import Container, Iterable
from pathlib import Path

from chorus.base import sockets

TMPDIR_VARIABLE = "TMUX_TMPDIR"
MAX_SERVERS = 20


def socket_folder() -> Path:
    """Returns the folder in which tmux makes the sockets of this user."""
    return Path(os.environ.get(TMPDIR_VARIABLE) or "/tmp") / f"tmux-{os.getuid()}"  # noqa: S108 - where tmux itself looks


def server_sockets(named: Iterable[str] = (), known: Container[Path] = ()) -> list[Path]:
    """Returns the sockets at which a server listens, at most `MAX_SERVERS`.

    tmux leaves the sockets of servers that were killed, so there may be hundreds of others. `named` are those of the
    settings: a name, as after `tmux -L`, or an absolute path, as after `tmux -S`. Those in `known` are not asked.
    """
    folder = socket_folder()
    found = [folder / name if "/" not in name else Path(name) for name in named if name]
    try:
        # tmux refuses a folder that others can write to; so does Chorus.
        status = folder.stat()
        if status.st_uid == os.getuid() and not status.st_mode & stat.S_IRWXO:
            found += sorted(folder.iterdir())
    except OSError:
        pass
    return [path for path in dict.fromkeys(found) if _is_in_use(path, known)][:MAX_SERVERS]


_dead: dict[Path, tuple[int, int]] = {}
"""Sockets at which nobody listens, with inode and time: a new server makes a new file, so they are not asked again."""


def _is_in_use(path: Path, known: Container[Path]) -> bool:
    try:
        status = path.stat()
    except OSError:
        _dead.pop(path, None)
        return False
    if not stat.S_ISSOCK(status.st_mode) or status.st_uid != os.getuid():
        return False
    if path in known:
        return True
    mark = status.st_ino, status.st_ctime_ns
    if _dead.get(path) == mark:
        return False
    try:
        if sockets.is_listened_at(path.parent, path.name):
            return True
    except OSError:
        return False
    _dead[path] = mark
    return False
