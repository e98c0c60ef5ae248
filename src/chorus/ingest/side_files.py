"""What belongs to a session beside its lines: long tool outputs, sidecars, plans, task lists, file backups."""

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from chorus.capture.discover import config_folder_of, project_key_of
from chorus.capture.layout import is_file_name, side_folder
from chorus.ingest.taken import Taken, TakenNotes
from chorus.store.keys import StreamKey
from chorus.store.port import Vault

MANIFEST = "manifest"
"""The stream of a conversation in which Chorus notes where its streams came from and what lies beside them."""
MAX_BYTES = 256 << 20


def note_source(vault: Vault, key: StreamKey, path: Path, *, seen_at: str) -> None:
    """Say in the manifest where a stream came from."""
    config = config_folder_of(path)
    fact = {
        "type": "source",
        "stream": key.stream,
        "path": str(path),
        "configDir": str(config) if config else None,
        "projectKey": project_key_of(path),
    }
    _note(vault, key, fact, seen_at)


def keep_side_files(
    vault: Vault, key: StreamKey, session_file: Path, slug: str | None, notes: TakenNotes, *, seen_at: str
) -> int:
    """Keep the side files of a session that are new or changed; gives their number."""
    kept = 0
    for base, name, path in _side_files(session_file, key.conversation, slug):
        try:
            status = path.lstat()
        except OSError:
            continue
        known = notes.by_path.get(str(path))
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES or (known and known.is_unchanged(status)):
            continue
        data = _read(path)
        if data is None:
            continue
        blob = vault.put_blob(data)
        if known is None or known.marks[0] != blob:
            _note(
                vault, key, {"type": "side-file", "base": base, "path": name, "blob": blob, "size": len(data)}, seen_at
            )
            kept += 1
        notes.add(
            Taken(str(path), status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, None, 0, 0, (blob, ""))
        )
    return kept


def _side_files(session_file: Path, session: str, slug: str | None) -> Iterator[tuple[str, str, Path]]:
    """Base (`session`: its side folder, `config`: the client's folder), name below it, path."""
    folder = side_folder(session_file)
    for path in _walk(folder):
        if not path.name.endswith(".jsonl"):
            yield "session", path.relative_to(folder).as_posix(), path
    config = config_folder_of(session_file)
    if config is None:
        return
    places = [config / "tasks" / session, config / "file-history" / session]
    for place in places:
        for path in _walk(place):
            yield "config", path.relative_to(config).as_posix(), path
    for path in (config / "todos").glob(f"{session}-agent-*.json") if (config / "todos").is_dir() else ():
        yield "config", path.relative_to(config).as_posix(), path
    if slug and is_file_name(slug):
        yield "config", f"plans/{slug}.md", config / "plans" / f"{slug}.md"


def _walk(folder: Path) -> Iterator[Path]:
    for below, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            yield Path(below, name)


def _read(path: Path) -> bytes | None:
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(fd, "rb") as file:
            return file.read(MAX_BYTES)
    except OSError:
        return None


def _note(vault: Vault, key: StreamKey, fact: Mapping[str, object], seen_at: str) -> None:
    manifest = StreamKey(key.workspace, key.agent, key.conversation, MANIFEST)
    vault.append(manifest, msgspec.json.encode(fact) + b"\n", seen_at=seen_at)
