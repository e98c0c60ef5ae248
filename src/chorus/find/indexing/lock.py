"""Ensures that the index has one writer at a time. The process that holds the lock also indexes what others record."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chorus.keep.vault import safe_files


@contextmanager
def sole_writer(folder: Path) -> Iterator[bool]:
    """Yields whether this process is the writer. Never waits: the writer also indexes what this process records."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd = safe_files.open_file(folder / "writer.lock", os.O_RDWR | os.O_CREAT)
    try:
        yield safe_files.try_lock(fd)
    finally:
        os.close(fd)
