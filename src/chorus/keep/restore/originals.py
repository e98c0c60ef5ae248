"""Finds the files of a conversation and their paths. Every name comes from untrusted data, so each one is checked.

Nothing is written outside the session's own names below `projects/`, and in the client's folder only what a session
writes there: a manifest entry for `settings.json` or `../x` is refused.
"""

import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path, PurePosixPath

from msgspec import Struct, field

from chorus.errors import ChorusError
from chorus.keep.archive.listing import AGENT_PREFIX, Kept
from chorus.keep.archive.manifest import CONFIG_BASE, SESSION_BASE, Manifest, SideFile, Source, manifest_of
from chorus.keep.sources.layout import LONGEST_KEY, project_key
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.line import StoredLine
from chorus.keep.vault.port import Vault, content

_BLOB = re.compile(r"[0-9a-f]{64}")
_OF_A_SESSION = {"tasks", "file-history"}
"""Folders of the client with one subfolder per session."""
_LINES_WITH_CWD = 100
"""The number of lines that are searched for a working folder; sessions seldom leave their first one."""
_UNSAFE = re.compile(r"[\x00-\x1f\x7f\\]")


class Original(Struct, frozen=True):
    """One file to restore."""

    base: Path
    """The folder that it must not leave."""
    parts: tuple[str, ...]
    content: StreamKey | str
    """A stream, or the name of a blob."""
    revision: int | None = None

    @property
    def path(self) -> Path:
        return self.base.joinpath(*self.parts)


class LeftOut(Struct, frozen=True):
    """A file that is not restored, and why."""

    path: str
    reason: str


class RestorePlan(Struct):
    """What a restore would write; the session file comes first."""

    session: str
    """The id that the client uses."""
    config_dir: Path
    cwd: str | None
    """A working folder of the session in which the client finds the project."""
    originals: list[Original] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def plan(vault: Vault, kept: Kept, *, to: Path | None, revision: int | None) -> RestorePlan:
    """Return the files of a conversation below its own client's folder, or below `to`.

    Raises ChorusError if the session file was never stored, or if its project is not known.
    """
    main = kept.session_file
    if main is None:
        raise ChorusError(
            f"{kept.id}: its session file was never stored, so it cannot be restored for the client; "
            "`chorus restore ID --all --to DIR` restores what was stored"
        )
    manifest = manifest_of(vault, kept)
    source = manifest.sources.get(main.stream) or Source(stream=main.stream, path=f"{kept.id}.jsonl")
    name = PurePosixPath(source.path).name
    session = name.removesuffix(".jsonl")
    if not is_name(name) or not name.endswith(".jsonl") or not session:
        raise ChorusError(f"{kept.id}: the vault names {source.path!r} as its session file, which cannot be one")
    project = source.project_key or _project_key(vault, main)
    if project is None or not is_name(project):
        raise ChorusError(f"{kept.id}: the vault does not know the project that its session file belongs to")
    base = to or _folder_of(kept, source)
    found = RestorePlan(session, base, _working_folder(vault, main, project))
    place = ("projects", project)
    found.originals.append(Original(base, (*place, name), main, _checked_revision(vault, main, revision)))
    for key in kept.keys:
        if key.stream.startswith(AGENT_PREFIX):
            found.originals.append(Original(base, (*place, *_agent_place(key, manifest, session)), key))
    for side_file in manifest.side_files.values():
        _add_side_file(found, (*place, session), side_file, session)
    found.originals = list({original.path: original for original in reversed(found.originals)}.values())[::-1]
    return found


def pieces_of(vault: Vault, original: Original) -> Iterator[bytes] | None:
    """Yield the original bytes of a file in pieces; None if the vault does not have them.

    Raises ValueError if they are damaged: usually before the first piece, otherwise at the damaged piece.
    """
    if isinstance(original.content, StreamKey):
        return content(vault, original.content, original.revision).pieces()
    return vault.blob_pieces(original.content) if _BLOB.fullmatch(original.content) else None


def _revisions(vault: Vault, key: StreamKey) -> int:
    lines = (line for line in vault.lines(key) if isinstance(line, StoredLine))
    return 1 + max((line.head.revision for line in lines), default=-1)


def _checked_revision(vault: Vault, main: StreamKey, revision: int | None) -> int | None:
    if revision is None:
        return None
    count = _revisions(vault, main)
    if not 0 <= revision < count:
        known = "revision 0 only" if count == 1 else f"revisions 0 to {count - 1}"
        raise ChorusError(f"{main.conversation}: there is no revision {revision}; the vault has {known}")
    return revision


def _folder_of(kept: Kept, source: Source) -> Path:
    folder = Path(source.config_dir) if source.config_dir else None
    if folder is None or not folder.is_absolute() or ".." in folder.parts or "\0" in str(folder):
        raise ChorusError(f"{kept.id}: it did not come from a client's own folder; name a folder with --to")
    return folder


def _agent_place(key: StreamKey, manifest: Manifest, session: str) -> tuple[str, ...]:
    """Return the path of a sub-agent's file below the project: the original one, if that is a valid place."""
    usual = (session, "subagents", f"{key.stream}.jsonl")
    source = manifest.sources.get(key.stream)
    if source is None:
        return usual
    path = PurePosixPath(source.path)
    if source.project_key is None or source.project_key not in path.parts[:-1]:
        return usual
    last = max(n for n, part in enumerate(path.parts[:-1]) if part == source.project_key)
    below = path.parts[last + 1 :]
    is_next_to_session = len(below) == 1
    is_inside = len(below) > 2 and below[:2] == (session, "subagents")
    is_agent_file = below[-1].startswith(AGENT_PREFIX) and below[-1].endswith(".jsonl")
    return below if is_agent_file and (is_next_to_session or is_inside) and all(map(is_name, below)) else usual


def _add_side_file(found: RestorePlan, folder: tuple[str, ...], side_file: SideFile, session: str) -> None:
    parts = tuple(side_file.path.split("/"))
    if not all(map(is_name, parts)):
        found.left_out.append(LeftOut(side_file.path, "its name would leave the session's folder"))
    elif side_file.base == SESSION_BASE:
        found.originals.append(Original(found.config_dir, (*folder, *parts), side_file.blob))
    elif side_file.base == CONFIG_BASE and is_of_session(parts, session):
        found.originals.append(Original(found.config_dir, parts, side_file.blob))
    else:
        found.left_out.append(LeftOut(side_file.path, "no session writes this file of the client"))


def is_of_session(parts: tuple[str, ...], session: str) -> bool:
    """Return whether a session writes a file at this place below the client's folder, outside of `projects/`."""
    match parts:
        case ("plans", name):
            return name.endswith(".md")
        case ("todos", name):
            return name.startswith(session) and name.endswith(".json")
        case (top, owner, _, *_):
            return top in _OF_A_SESSION and owner == session
        case _:
            return False


def is_name(part: str) -> bool:
    """Return whether an untrusted text is the name of one file or folder."""
    return part not in ("", ".", "..") and "/" not in part and len(part) < 256 and not _UNSAFE.search(part)


def _project_key(vault: Vault, main: StreamKey) -> str | None:
    """Return the name of the project's folder, from the first working folder in the session."""
    cwd = next(working_folders(vault, main), None)
    return project_key(cwd) if cwd else None


def _working_folder(vault: Vault, main: StreamKey, project: str) -> str | None:
    folders = islice(working_folders(vault, main), _LINES_WITH_CWD)
    return next((cwd for cwd in folders if project_key(cwd)[:LONGEST_KEY] == project[:LONGEST_KEY]), None)


def working_folders(vault: Vault, main: StreamKey) -> Iterator[str]:
    """Yield the working folder of each record of a session, in the order of the file."""
    for line in vault.lines(main):
        if not isinstance(line, StoredLine) or b'"cwd"' not in line.body:
            continue
        try:
            record = json.loads(line.body)
        except (ValueError, RecursionError):
            continue
        cwd = record.get("cwd") if isinstance(record, dict) else None
        if isinstance(cwd, str) and cwd:
            yield cwd
