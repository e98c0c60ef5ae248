"""The files in which followed panes are written before they are recorded: `panes/` in the vault's folder.

A file is locked as long as its writer lives. Its name says which program in which pane wrote it, so that a server that
starts again continues the same stream.
"""

import hashlib
import os
from pathlib import Path

from chorus.errors import VaultUnwritable
from chorus.keep.vault import safe_files
from chorus.steer.tmux.panes import Pane

FOLDER = "panes"


def file_name(pane: Pane, group: int) -> str:
    """Returns the name of the file for what a group of processes prints in a pane."""
    which = "\n".join([pane.socket, str(pane.server_pid), pane.id, str(pane.pid), str(group)])
    return f"pane-{pane.id[1:]}-{hashlib.sha256(which.encode()).hexdigest()[:16]}.jsonl"


class PaneFile:
    """One file that this process writes. Raises `VaultUnwritable` if that is not possible."""

    def __init__(self, root: Path, name: str) -> None:
        self.path = root / FOLDER / name
        try:
            safe_files.make_folders(root, self.path.parent)
            self._fd = safe_files.open_file(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
            if not safe_files.try_lock(self._fd):
                os.close(self._fd)
                raise VaultUnwritable(f"{self.path}: another process writes it")
        except OSError as error:
            raise VaultUnwritable(f"{self.path}: {error.strerror or error}") from error

    def content(self) -> bytes:
        """Returns what is in the file already: an earlier process may have written it."""
        return os.pread(self._fd, os.fstat(self._fd).st_size, 0)

    def write(self, data: bytes) -> None:
        try:
            safe_files.write_all(self._fd, data)
        except OSError as error:
            raise VaultUnwritable(f"{self.path}: {error.strerror or error}") from error

    def close(self) -> None:
        os.close(self._fd)
