"""The lock that allows one sync of a vault at a time. A process that has to wait learns which process holds it."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from chorus.errors import VaultUnwritable


@contextmanager
def sole_sync(root: Path, who: str, on_wait: Callable[[str], None]) -> Iterator[None]:
    """Hold the sync lock of the vault. If another process holds it, `on_wait` is called once with its description."""
    import fcntl

    path = root / "sync.lock"
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise VaultUnwritable(f"{path}: {error.strerror or error}") from error
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_wait(os.pread(fd, 200, 0).decode("utf-8", "replace").strip() or "another sync")
            fcntl.flock(fd, fcntl.LOCK_EX)
        os.ftruncate(fd, 0)
        os.pwrite(fd, f"{who} (process {os.getpid()}, since {time.strftime('%H:%M:%S')})\n".encode(), 0)
        yield
    finally:
        os.close(fd)
