"""Bounds the snapshots of files while a server or service runs: once a day, beside its other work."""

import threading
from collections.abc import Callable
from pathlib import Path

from chorus.base import config
from chorus.errors import ChorusError
from chorus.keep.snapshots.retention import prune

_EVERY_S = 86_400.0


class SnapshotRetention:
    """Removes snapshots that are older, or take more space, than the settings allow."""

    def __init__(self, home: Path, warn: Callable[[str], None]) -> None:
        self._home = home
        self._warn = warn
        self._next_s = 0.0

    def begin(self, now_s: float) -> threading.Thread | None:
        """Starts the work in a thread of its own if it is time for it: packing may take minutes."""
        if now_s < self._next_s:
            return None
        self._next_s = now_s + _EVERY_S
        thread = threading.Thread(target=self._work, args=(now_s,), name="snapshot-retention", daemon=True)
        thread.start()
        return thread

    def _work(self, now_s: float) -> None:
        try:
            settings = config.load(self._home)
            days, max_mb = settings.keep_snapshots_days, settings.max_snapshots_mb
            prune(self._home, now_ms=int(now_s * 1000), days=days, max_mb=max_mb)
        except (ChorusError, OSError) as error:
            self._warn(f"old snapshots were not removed: {error}")
