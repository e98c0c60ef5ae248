"""One writer of the index at a time: who holds this file's lock also takes in what others keep."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chorus.keep.vault import safe_files


@contextmanager
def sole_writer(folder: Path) -> Iterator[bool]:
    """Whether this process is the writer now. Never waits: whoever is, takes in what this process keeps."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd = safe_files.open_file(folder / "writer.lock", os.O_RDWR | os.O_CREAT)
    try:
        yield safe_files.try_lock(fd)
    finally:
        os.close(fd)
