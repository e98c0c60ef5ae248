"""A temporary file for data that is too large for memory and can be built again. No other process sees it."""

import os
import tempfile
from array import array
from pathlib import Path
from threading import Lock


class SpillFile:
    """Pieces of bytes, addressed by number. The file has no name and disappears with the process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._fd: int | None = None
        self._ends = array("Q", [0])
        self._lock = Lock()

    def put(self, data: bytes) -> int | None:
        """Store a piece and return its number; None if there is no space for it."""
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
        """Return a piece that was stored."""
        assert self._fd is not None, "nothing was spilled"
        start, end = self._ends[number], self._ends[number + 1]
        found = b""
        while len(found) < end - start:
            piece = os.pread(self._fd, end - start - len(found), start + len(found))
            if not piece:
                raise OSError("the spilled bytes are gone")
            found += piece
        return found

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
