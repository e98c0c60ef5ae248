"""Finds the conversations of live runs that grew.

Holders record them, but do not notify the process that writes the index.
"""

import os
import time
from collections.abc import Callable

from chorus.keep.vault.files import FileVault
from chorus.steer.runs.run_folders import Run, Runs

LIST_S = 1.0
"""How often the runs are listed."""


class RunGrowth:
    """The conversations of runs that grew since the last look. One look costs a `stat` for each run."""

    def __init__(self, vault: FileVault, runs: Runs, ticks: Callable[[], float] = time.monotonic) -> None:
        self._vault = vault
        self._runs = runs
        self._ticks = ticks
        self._listed_at = float("-inf")
        self._names: dict[str, str] = {}
        """The file with the output of a client → the name of its conversation."""
        self._sizes: dict[str, int] = {}
        self._over: set[str] | None = None
        """The runs that had ended at the last listing; those of the first listing were indexed before."""

    def look(self) -> list[str]:
        """Returns the names of conversations that grew."""
        # Runs of the last listing are checked once more: their last output came after it.
        names = self._names
        if self._ticks() - self._listed_at >= LIST_S:
            self._listed_at = self._ticks()
            keys = [run.key("out") for run in self._listed()]
            self._names = {str(self._vault.path(key)): key.owner for key in keys}
            names = names | self._names
        sizes = {path: size for path in names if (size := _size(path)) is not None}
        grown = [names[path] for path, size in sizes.items() if size != self._sizes.get(path, 0)]
        self._sizes = sizes
        return list(dict.fromkeys(grown))

    def _listed(self) -> list[Run]:
        """Returns the live runs, and those that started and ended since the last listing."""
        listed = list(self._runs)
        living = {run.id for folder, run in listed if folder.phase(run) in ("starting", "running")}
        over = {run.id for _, run in listed} - living
        fresh = over - self._over if self._over is not None else set[str]()
        self._over = over
        return [run for _, run in listed if run.id in living | fresh]


def _size(path: str) -> int | None:
    try:
        return os.stat(path).st_size  # noqa: PTH116 - asked several times a second
    except OSError:
        return None
