"""The side files of a session: long tool outputs, sidecars, plans, task lists, file backups."""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from chorus.core.conversation.authority import SESSION_FILE
from chorus.errors import SourceUnreadable
from chorus.keep.sources.discover import Found, config_folder_of, project_key_of
from chorus.keep.sources.file_access import Bounds, Skips, files_below, listed, open_file, read_file, skip_of
from chorus.keep.sources.layout import is_file_name, side_folder
from chorus.keep.sources.origin import is_astray, origin_of
from chorus.keep.sources.taken_notes import Taken, TakenNotes
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.line import StoredLine
from chorus.keep.vault.port import Vault

MANIFEST = "manifest"
"""The stream of a conversation in which Chorus notes the sources of its streams, and its side files."""
MAX_BYTES = 256 << 20
_OUTPUTS = "tool-results"
"""The folder of a session that contains long outputs."""


def note_source(
    vault: Vault, key: StreamKey, found: Found, folder: str | None, *, seen_at: str, is_once: bool = False
) -> None:
    """Note the source of a stream in the manifest. The order of these notes is the order in which streams were stored.

    `folder` is the first working folder that the source names. With `is_once`, a note that exists is not repeated.
    """
    path = found.path
    config = config_folder_of(path)
    fact = {
        "type": "source",
        "stream": key.stream,
        "path": str(path),
        "configDir": str(config) if config else None,
        "projectKey": project_key_of(path),
        "origin": origin_of(found),
        "isAstray": is_astray(path, folder),
    }
    _note(vault, key, fact, seen_at, is_once=is_once)


class SideFileBounds(Struct, frozen=True):
    """Where the side files of a session may be located, and the function that receives those that are left out."""

    session: Bounds
    config: Bounds
    skips: Skips


def note_part(
    vault: Vault, key: StreamKey, found: Found, folder: str | None, *, seen_at: str, is_once: bool = False
) -> None:
    """Note in the manifest that a stream consists of records from the source of another conversation.

    A sub-agent's file counts fully for that agent in any session; the location of any other file names another session.
    With `is_once`, a note that exists is not repeated.
    """
    origin = origin_of(found)
    fact = {
        "type": "part",
        "stream": key.stream,
        "path": str(found.path),
        "origin": origin if found.kind == "agent" else max(origin, SESSION_FILE),
        "isAstray": is_astray(found.path, folder),
    }
    _note(vault, key, fact, seen_at, is_once=is_once)


def has_new_outputs(folder: str, notes: TakenNotes) -> bool:
    """Return whether the folder of a session has outputs that were not read; costs one `stat`."""
    outputs = f"{folder}/{_OUTPUTS}"
    try:
        status = os.stat(outputs)  # noqa: PTH116 - for every session of a pass
    except OSError:
        return False
    known = notes.by_path.get(outputs)
    return known is None or not known.is_unchanged(status)


def has_new_sidecar(agent_file: str, notes: TakenNotes) -> bool:
    """Return whether the sidecar of a sub-agent's file is new or was changed; costs one `stat`."""
    sidecar = f"{agent_file.removesuffix('.jsonl')}.meta.json"
    try:
        status = os.lstat(sidecar)
    except OSError:
        return False
    known = notes.by_path.get(sidecar)
    return stat.S_ISREG(status.st_mode) and (known is None or not known.is_unchanged(status))


def keep_side_files(
    vault: Vault,
    key: StreamKey,
    session_file: Path,
    slug: str | None,
    notes: TakenNotes,
    bounds: SideFileBounds,
    seen_at: str,
) -> int:
    """Store the new and changed side files of a session, and return their number."""
    kept = 0
    outputs = f"{side_folder(session_file)}/{_OUTPUTS}"
    with suppress(OSError):
        # Before the folder is listed: a file that is added in the meantime is found the next time.
        status = os.stat(outputs)  # noqa: PTH116 - the same call as in `has_new_outputs`
        notes.add(Taken(outputs, status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, None, 0, 0))
    for base, name, path in _side_files(session_file, key.conversation, slug, bounds):
        known = notes.by_path.get(str(path))
        try:
            status = path.lstat()
            if known and known.is_unchanged(status):
                continue
            data = read_file(path, bounds.session if base == "session" else bounds.config, MAX_BYTES)
        except OSError:
            continue
        except SourceUnreadable as error:
            bounds.skips(skip_of(path, error))
            continue
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


def place_of(session_file: Path, base: str, name: str) -> Path:
    """Return the path that a side file of a session has or had."""
    folder = side_folder(session_file) if base == "session" else config_folder_of(session_file)
    return (folder or session_file.parent) / name


def report_skipped_side_files(session_file: Path, session: str, slug: str | None, bounds: SideFileBounds) -> None:
    """Report the side files of a session that `keep_side_files` would leave out; nothing is read."""
    for base, _, path in _side_files(session_file, session, slug, bounds):
        try:
            open_file(path, bounds.session if base == "session" else bounds.config).close()
        except SourceUnreadable as error:
            if not isinstance(error.__cause__, FileNotFoundError):
                bounds.skips(skip_of(path, error))


def _side_files(
    session_file: Path, session: str, slug: str | None, bounds: SideFileBounds
) -> Iterator[tuple[str, str, Path]]:
    """Yield base (`session`: its side folder, `config`: the client's folder), name below it, path."""
    folder = side_folder(session_file)
    for path in files_below(folder, bounds.session, bounds.skips):
        if not path.name.endswith(".jsonl"):
            yield "session", path.relative_to(folder).as_posix(), path
    config = config_folder_of(session_file)
    if config is None:
        return
    places = [config / "tasks" / session, config / "file-history" / session]
    for place in places:
        for path in files_below(place, bounds.config, bounds.skips):
            yield "config", path.relative_to(config).as_posix(), path
    for path in _todos(config / "todos", session, bounds):
        yield "config", path.relative_to(config).as_posix(), path
    if slug and is_file_name(slug):
        yield "config", f"plans/{slug}.md", config / "plans" / f"{slug}.md"


def _todos(folder: Path, session: str, bounds: SideFileBounds) -> list[Path]:
    try:
        entries = listed(folder, bounds.config)
    except SourceUnreadable as error:
        bounds.skips(skip_of(folder, error))
        return []
    begin = f"{session}-agent-"
    return sorted(Path(each.path) for each in entries if each.name.startswith(begin) and each.name.endswith(".json"))


def _note(vault: Vault, key: StreamKey, fact: Mapping[str, object], seen_at: str, *, is_once: bool = False) -> None:
    manifest = StreamKey(key.workspace, key.agent, key.conversation, MANIFEST)
    body = msgspec.json.encode(fact)
    if is_once and any(isinstance(line, StoredLine) and line.body == body for line in vault.lines(manifest)):
        return
    vault.append(manifest, body + b"\n", seen_at=seen_at)
