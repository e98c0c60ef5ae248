"""Opens the file of an index for reading or writing. A seal written on close makes damage detectable."""

import os
import sqlite3
import zlib
from pathlib import Path

FOLDER = "index"
"""The folder of the index in Chorus' home."""
FILE = "index.db"
SEAL = "index.seal"
_CHUNK_BYTES = 1 << 20
_BUSY_MS = 10_000
_CACHE_KB, _LASTING_KB = 16_000, 4_000


def connect(path: Path, *, is_writer: bool, is_lasting: bool = False) -> sqlite3.Connection:
    """Returns a connection to an existing index; a reader changes nothing and also works on a read-only file system.

    `is_lasting`: this is one of several connections that a process keeps open for hours. It uses little memory, however
    large the index is, and relies on the file cache of the system instead of its own cache and memory maps.
    """
    if is_writer:
        return _opened(path, "mode=rw", is_writer=True)
    connection = _opened(path, "mode=ro", is_writer=False, is_lasting=is_lasting)
    try:
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        # On a read-only file system, readers cannot create the shared-memory file, and do not need it: nobody writes.
        return _opened(path, "mode=ro&immutable=1", is_writer=False, is_lasting=is_lasting)
    return connection


def _opened(path: Path, mode: str, *, is_writer: bool, is_lasting: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"file:{_quoted(str(path))}?{mode}", uri=True, isolation_level=None, check_same_thread=False
    )
    connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
    connection.execute(f"PRAGMA cache_size = -{_LASTING_KB if is_lasting or is_writer else _CACHE_KB}")
    if not is_writer:
        connection.execute("PRAGMA query_only = 1")
        if not is_lasting:
            connection.execute("PRAGMA mmap_size = 268435456")
    return connection


def _quoted(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def write_seal(path: Path, seal: Path) -> None:
    """Stores size, time and checksum of the file, so that damage is detected when it is opened again."""
    status = path.stat()
    half = seal.with_name(f"{seal.name}.tmp")
    half.unlink(missing_ok=True)
    fd = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
    with os.fdopen(fd, "w") as file:
        file.write(f"{status.st_size} {status.st_mtime_ns} {_crc(path)}\n")
    half.replace(seal)


def is_sealed_as(path: Path, seal: Path, *, is_thorough: bool) -> bool:
    """Whether the file matches its seal; True if there is no seal."""
    try:
        size, mtime_ns, crc = map(int, seal.read_text().split())
    except (OSError, ValueError):
        return True
    status = path.stat()
    if status.st_size != size:
        return False
    if status.st_mtime_ns == mtime_ns and not is_thorough:
        return True
    return _crc(path) == crc


def _crc(path: Path) -> int:
    crc = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            crc = zlib.crc32(chunk, crc)
    return crc


def new_database(path: Path) -> Path:
    """Creates an empty file that only this user can access, and replaces what was left there."""
    remove_database(path)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600))
    return path


def remove_database(path: Path) -> None:
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm", f"{path.name}-journal"):
        path.with_name(name).unlink(missing_ok=True)
