"""Bytes put aside in a file that nobody else sees: for what is too much to be held in memory and can be made again."""

import os
import tempfile
from array import array
from pathlib import Path
from threading import Lock


class Aside:
    """Pieces of bytes by their numbers. The file has no name, and is gone with the process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._fd: int | None = None
        self._ends = array("Q", [0])
        self._lock = Lock()

    def put(self, data: bytes) -> int | None:
        """Put a piece aside, and give its number; None where there is no room for it."""
        with self._lock:
            try:
                if self._fd is None:
                    with tempfile.TemporaryFile(dir=self._folder) as file:
                        self._fd = os.dup(file.fileno())
                start = self._ends[-1]
                written = 0
                while written < len(data):
                    written += os.pwrite(self._fd, data[written:], start + written)
            except OSError:
                return None
            self._ends.append(start + len(data))
            return len(self._ends) - 2

    def get(self, number: int) -> bytes:
        """A piece that was put aside."""
        assert self._fd is not None, "nothing was put aside"
        start, end = self._ends[number], self._ends[number + 1]
        found = b""
        while len(found) < end - start:
            piece = os.pread(self._fd, end - start - len(found), start + len(found))
            if not piece:
                raise OSError("what was put aside is gone")
            found += piece
        return found

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
