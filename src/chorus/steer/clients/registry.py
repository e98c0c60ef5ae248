"""Reads the registry of each watched client folder repeatedly: what runs now, and what it waits for.

Only `<pid>.json` in `sessions/` is opened, no link is followed, and no other file there is read: the key next to a
client's messaging socket is a secret.
"""

import re
import stat
from collections.abc import Iterable
from pathlib import Path

from chorus.errors import SourceUnreadable
from chorus.keep.sources.file_access import Bounds, listed, look_at
from chorus.steer.clients.processes import is_alive
from chorus.steer.clients.registry_entry import Running, read_entry

FOLDER = "sessions"
MAX_ENTRIES = 1_000
MAX_BYTES = 64 << 10
"""The most bytes of one entry; a client writes less than a thousand."""
_NAME = re.compile(r"([1-9][0-9]{0,9})\.json")
_RANK = {"waiting": 0, "busy": 1, "idle": 2}

_Stamp = tuple[int, int, int]


class Registry:
    """Caches entries, so that an unchanged entry costs one `stat`. Not thread-safe."""

    def __init__(self, folders: Iterable[Path]) -> None:
        """`folders` are client folders, such as `~/.claude`; they need not exist."""
        self._folders = list(folders)
        self._known: dict[str, tuple[_Stamp, Running | None]] = {}

    def look(self) -> dict[str, Running]:
        """Returns the sessions that run now, by id.

        Of several clients in one session, the one that needs a person wins.
        """
        found: dict[str, Running] = {}
        seen: dict[str, tuple[_Stamp, Running | None]] = {}
        for path, pid, stamp, bounds in self._entries():
            known = self._known.get(path)
            if known is None or known[0] != stamp:
                data = look_at(path, bounds, MAX_BYTES)
                known = stamp, read_entry(data, pid) if data is not None else None
            seen[path] = known
            running = known[1]
            if running is not None and is_alive(running):
                other = found.get(running.session)
                found[running.session] = running if other is None else min(running, other, key=_urgency)
        self._known = seen
        return found

    def _entries(self) -> Iterable[tuple[str, int, _Stamp, Bounds]]:
        left = MAX_ENTRIES
        for folder in self._folders:
            # The client's folder may be a link that a person made; `sessions` in it may not lead out of it.
            bounds = Bounds(folder)
            try:
                found = listed(folder / FOLDER, bounds)
            except SourceUnreadable:
                continue
            for entry in found:
                named = _NAME.fullmatch(entry.name)
                if named is None:
                    continue
                try:
                    status = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
                    continue
                if left == 0:
                    return
                left -= 1
                yield entry.path, int(named[1]), (status.st_ino, status.st_mtime_ns, status.st_size), bounds


def _urgency(running: Running) -> tuple[int, int, int]:
    return _RANK[running.status], -(running.started_at_ms or 0), running.pid
