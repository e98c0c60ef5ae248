"""A cache for things that take long to build: they are built once per machine and stored outside every clone.

The cache is in `$CHORUS_DEV_CACHE`, else in `~/.cache/chorus-dev`.
"""

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path


def cache_root() -> Path:
    """Returns the folder of the cache."""
    named = os.environ.get("CHORUS_DEV_CACHE")
    if named:
        return Path(named).expanduser().absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "chorus-dev"


def cache_folder(kind: str, key: str) -> Path:
    """Returns the folder of one cached thing; `key` must change whenever its content does."""
    return cache_root() / kind / hashlib.sha256(key.encode()).hexdigest()[:16]


def made_once(folder: Path, make: Callable[[Path], object]) -> Path:
    """Returns `folder`; if it does not exist, fills it with `make`, atomically and in one process at a time."""
    if folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with sole_user(folder.with_name(folder.name + ".lock")):
        if not folder.exists():
            half = Path(tempfile.mkdtemp(prefix=folder.name + ".", dir=folder.parent))
            try:
                make(half)
                half.chmod(0o755)
                half.rename(folder)
            finally:
                shutil.rmtree(half, ignore_errors=True)
    return folder


def drop_oldest(folder: Path, keep: int) -> None:
    """Removes all but the newest `keep` things of one kind."""
    things = sorted((path for path in folder.iterdir() if path.is_dir()), key=lambda path: path.stat().st_mtime)
    for path in things[:-keep]:
        shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def sole_user(path: Path) -> Iterator[None]:
    """Holds the lock file `path`; does nothing on a system without such locks."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
