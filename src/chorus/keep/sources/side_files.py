"""What belongs to a session beside its lines: long tool outputs, sidecars, plans, task lists, file backups."""

import os
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
"""The stream of a conversation in which Chorus notes where its streams came from and what lies beside them."""
MAX_BYTES = 256 << 20
_OUTPUTS = "tool-results"
"""The folder of a session that long outputs lie in."""


def note_source(
    vault: Vault, key: StreamKey, found: Found, folder: str | None, *, seen_at: str, is_once: bool = False
) -> None:
    """Say in the manifest where a stream came from; the order of these notes is that in which streams were kept.

    `folder` is the working folder that it names first. With `is_once`, nothing is said that stands there already.
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
    manifest = StreamKey(key.workspace, key.agent, key.conversation, MANIFEST)
    said = msgspec.json.encode(fact)
    if is_once and any(isinstance(line, StoredLine) and line.body == said for line in vault.lines(manifest)):
        return
    _note(vault, key, fact, seen_at)


class Beside(Struct, frozen=True):
    """Where the files beside a session may lie, and who is told of those that are left out."""

    session: Bounds
    config: Bounds
    skips: Skips


def note_part(vault: Vault, key: StreamKey, found: Found, folder: str | None, *, seen_at: str) -> None:
    """Say in the manifest that a stream is made of records that another conversation's source holds.

    A sub-agent's file has its say about that agent in any session; of any other, the place names another session.
    """
    origin = origin_of(found)
    fact = {
        "type": "part",
        "stream": key.stream,
        "path": str(found.path),
        "origin": origin if found.kind == "agent" else max(origin, SESSION_FILE),
        "isAstray": is_astray(found.path, folder),
    }
    _note(vault, key, fact, seen_at)


def has_new_outputs(folder: str, notes: TakenNotes) -> bool:
    """Whether outputs lie beside a session, in its folder, that were not looked at; costs a `stat`."""
    outputs = f"{folder}/{_OUTPUTS}"
    try:
        status = os.stat(outputs)  # noqa: PTH116 - for every session of a pass
    except OSError:
        return False
    known = notes.by_path.get(outputs)
    return known is None or not known.is_unchanged(status)


def keep_side_files(
    vault: Vault, key: StreamKey, session_file: Path, slug: str | None, notes: TakenNotes, beside: Beside, seen_at: str
) -> int:
    """Keep the side files of a session that are new or changed; gives their number."""
    kept = 0
    outputs = f"{side_folder(session_file)}/{_OUTPUTS}"
    with suppress(OSError):
        # Before it is listed: what comes meanwhile is found the next time.
        status = os.stat(outputs)  # noqa: PTH116 - as where it is asked for
        notes.add(Taken(outputs, status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, None, 0, 0))
    for base, name, path in _side_files(session_file, key.conversation, slug, beside):
        known = notes.by_path.get(str(path))
        try:
            status = path.lstat()
            if known and known.is_unchanged(status):
                continue
            data = read_file(path, beside.session if base == "session" else beside.config, MAX_BYTES)
        except OSError:
            continue
        except SourceUnreadable as error:
            beside.skips(skip_of(path, error))
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
    """Where a side file of a session lies, or lay."""
    folder = side_folder(session_file) if base == "session" else config_folder_of(session_file)
    return (folder or session_file.parent) / name


def skipped_beside(session_file: Path, session: str, slug: str | None, beside: Beside) -> None:
    """Tell of the side files of a session that `keep_side_files` would leave out; nothing is read."""
    for base, _, path in _side_files(session_file, session, slug, beside):
        try:
            open_file(path, beside.session if base == "session" else beside.config).close()
        except SourceUnreadable as error:
            if not isinstance(error.__cause__, FileNotFoundError):
                beside.skips(skip_of(path, error))


def _side_files(session_file: Path, session: str, slug: str | None, beside: Beside) -> Iterator[tuple[str, str, Path]]:
    """Base (`session`: its side folder, `config`: the client's folder), name below it, path."""
    folder = side_folder(session_file)
    for path in files_below(folder, beside.session, beside.skips):
        if not path.name.endswith(".jsonl"):
            yield "session", path.relative_to(folder).as_posix(), path
    config = config_folder_of(session_file)
    if config is None:
        return
    places = [config / "tasks" / session, config / "file-history" / session]
    for place in places:
        for path in files_below(place, beside.config, beside.skips):
            yield "config", path.relative_to(config).as_posix(), path
    for path in _todos(config / "todos", session, beside):
        yield "config", path.relative_to(config).as_posix(), path
    if slug and is_file_name(slug):
        yield "config", f"plans/{slug}.md", config / "plans" / f"{slug}.md"


def _todos(folder: Path, session: str, beside: Beside) -> list[Path]:
    try:
        entries = listed(folder, beside.config)
    except SourceUnreadable as error:
        beside.skips(skip_of(folder, error))
        return []
    begin = f"{session}-agent-"
    return sorted(Path(each.path) for each in entries if each.name.startswith(begin) and each.name.endswith(".json"))


def _note(vault: Vault, key: StreamKey, fact: Mapping[str, object], seen_at: str) -> None:
    manifest = StreamKey(key.workspace, key.agent, key.conversation, MANIFEST)
    vault.append(manifest, msgspec.json.encode(fact) + b"\n", seen_at=seen_at)
