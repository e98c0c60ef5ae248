"""Finds what was printed in followed panes: the files in `panes/`, which another part of Chorus writes."""

import os
from contextlib import suppress
from pathlib import Path

from chorus.keep.vault import safe_files
from chorus.steer.tmux.pane_files import FOLDER

ENDING = ".jsonl"


class PaneSources:
    """The files of panes that grew since the last look, and those that nobody writes any more."""

    def __init__(self, root: Path) -> None:
        self._folder = root / FOLDER
        self._sizes: dict[str, int] = {}

    def look(self) -> tuple[list[Path], list[Path]]:
        """Returns the files that grew, and the files that have ended. Costs a `stat` for each file."""
        sizes: dict[str, int] = {}
        ended: list[Path] = []
        with suppress(OSError), os.scandir(self._folder) as entries:
            for entry in entries:
                if not entry.name.endswith(ENDING):
                    continue
                with suppress(OSError):
                    if entry.is_file(follow_symlinks=False):
                        sizes[entry.path] = entry.stat(follow_symlinks=False).st_size
        grown = [Path(path) for path, size in sizes.items() if size != self._sizes.get(path)]
        ended = [path for path in map(Path, sizes) if path not in grown and _is_over(path)]
        self._sizes = {path: size for path, size in sizes.items() if Path(path) not in ended}
        return grown, ended


def _is_over(path: Path) -> bool:
    """Returns whether no process writes the file any more."""
    try:
        fd = safe_files.open_file(path, safe_files.READ)
    except OSError:
        return False
    try:
        return safe_files.try_lock(fd)
    finally:
        os.close(fd)
