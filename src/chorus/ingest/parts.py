"""A log that holds several sessions: kept whole with the one that most of it is about, and in parts with the others."""

import hashlib
from collections.abc import Callable
from pathlib import Path

from chorus.capture.files import pieces
from chorus.conversation.route import Router
from chorus.ingest.belonging import Belonging
from chorus.records.record import Record
from chorus.store.keys import StreamKey, safe_name
from chorus.store.port import Vault

PREFIX = "log-part-"


def keep_parts(
    vault: Vault,
    whole: StreamKey,
    path: Path,
    belonging: Belonging,
    *,
    is_wanted: Callable[[StreamKey, Path], bool],
    seen_at: str,
) -> set[str]:
    """Keep the lines of other sessions in a log with their own conversations; gives the names of those that grew."""
    grown: set[str] = set()
    digest = hashlib.sha256(str(path).encode("utf-8", "replace")).hexdigest()[:16]
    for session, (place, lines) in _by_session(path).items():
        if safe_name(session) == whole.conversation:
            continue
        key = belonging.key_in(session, place, PREFIX + digest)
        if not is_wanted(key, path):
            continue
        kept = vault.tail(key).seq
        if kept < len(lines):
            vault.append(key, b"".join(lines[kept:]), seen_at=seen_at)
            grown.add(key.owner)
    return grown


def _by_session(path: Path) -> dict[str, tuple[str, list[bytes]]]:
    """Session → its working folder and its records' lines, in the order of the log."""
    router = Router(path.name)
    found: dict[str, tuple[str, list[bytes]]] = {}

    def take(session: str, record: Record) -> None:
        place, lines = found.setdefault(session, (record.value.cwd or str(path.parent), []))
        lines.append(record.json.replace(b"\n", b" ") + b"\n")
        if record.value.cwd and place == str(path.parent):
            found[session] = (record.value.cwd, lines)

    for piece in pieces(str(path)):
        if isinstance(piece, Record):
            for session, record in router.route(piece):
                take(session, record)
    for session, record in router.close():
        take(session, record)
    return found
