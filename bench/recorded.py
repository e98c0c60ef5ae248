"""As many recordings as people have: copies of those next to this clone, changed as if they were different sessions.

Each copy has other ids of sessions, messages, calls and requests, and is from an earlier month. The texts stay the
same: the vocabulary of all copies is that of one.
"""

import re
import shutil
from datetime import datetime, timedelta
from hashlib import blake2b
from pathlib import Path

from bench.corpora import RECORDINGS, cache_folder

_APART = timedelta(days=37)
_UUID = re.compile(rb"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_NAMED = re.compile(rb"\b(msg_|toolu_|req_)([0-9A-Za-z]{16,40})\b")
_TIME = re.compile(rb'"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?Z"')
_SESSION = re.compile(rb'"sessionId":\s*"([0-9a-f-]{36})"')
_LETTERS = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def recorded(megabytes: int) -> Path | None:
    """Returns a folder of at least this size, built once and stored in the user's cache; None without recordings."""
    if not RECORDINGS.is_dir():
        return None
    folder = cache_folder() / f"recorded-{megabytes}"
    if not folder.exists():
        print(f"Writing {megabytes} MB of recordings, several times over, to {folder}", flush=True)
        unfinished = folder.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        written, copy = 0, 0
        while written < megabytes * 1_000_000:
            written += _copy(unfinished / "projects", copy)
            copy += 1
        unfinished.rename(folder)
    return folder


def _copy(projects: Path, copy: int) -> int:
    """Writes all recordings once, each in the folder of its project; returns the number of bytes."""
    written = 0
    for path in sorted(RECORDINGS.rglob("*.jsonl")):
        project = path.relative_to(RECORDINGS).parts[0]
        if project == "growing":  # states of one file, each with the content of the earlier ones
            continue
        data = _renamed(path.read_bytes(), copy)
        session = _SESSION.search(data) if path.stem == "full" else None
        _free(projects / f"-{copy}-{project}", session[1].decode() if session else path.stem).write_bytes(data)
        written += len(data)
    return written


def _free(folder: Path, name: str) -> Path:
    """Returns the path for a session. If it was recorded twice, the second goes to a folder next to the first."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl"
    return _free(folder.with_name(f"{folder.name}-again"), name) if path.exists() else path


def _renamed(data: bytes, copy: int) -> bytes:
    """Returns the data with other ids and times, as if another client had written it."""

    def digest(of: bytes) -> bytes:
        return blake2b(of, digest_size=40, salt=str(copy).encode()).digest()

    def uuid(found: re.Match[bytes]) -> bytes:
        said = digest(found[0]).hex().encode()
        return b"-".join((said[:8], said[8:12], b"4" + said[12:15], b"a" + said[15:18], said[18:30]))

    def named(found: re.Match[bytes]) -> bytes:
        letters = bytes(_LETTERS[byte % 62] for byte in digest(found[2])[: len(found[2])])
        return found[1] + found[2][:2] + letters[2:]

    def later(found: re.Match[bytes]) -> bytes:
        moved = datetime.fromisoformat(found[1].decode()) - copy * _APART
        return b'"%s%sZ"' % (moved.isoformat().encode(), found[2] or b"")

    return _TIME.sub(later, _NAMED.sub(named, _UUID.sub(uuid, data)))
