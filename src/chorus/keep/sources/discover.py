"""Where the client keeps its sessions, and which files below a folder are what."""

import errno
import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from chorus.core.records.session_ids import is_session_id
from chorus.errors import SourceUnreadable
from chorus.keep.sources.file_access import Bounds, Skip, Skips, ignore, leads_out, listed, open_file, skip_of, special

CONFIG_VARIABLE = "CLAUDE_CONFIG_DIR"
ENDING = ".jsonl"
"""How files of streams end; any other file is one only where a person names it."""


class Found(Struct, frozen=True):
    """A file that holds a stream."""

    path: Path
    kind: str
    """`session`, `agent` (a sub-agent's file) or `log` (anything else that is one record per line)."""
    session_id: str | None = None
    """As the file's place says; an agent file beside the session does not say."""
    agent_id: str | None = None


def config_folder() -> Path:
    """The client's own folder: `$CLAUDE_CONFIG_DIR`, else `~/.claude`."""
    named = os.environ.get(CONFIG_VARIABLE)
    try:
        return Path(named).expanduser() if named else Path.home() / ".claude"
    except RuntimeError as error:
        raise SourceUnreadable(f"no home folder is known for this user: set HOME, or {CONFIG_VARIABLE}") from error


def config_folder_of(path: Path) -> Path | None:
    """The client's folder that a session file lies in; None when it lies elsewhere (a copy, an export)."""
    at = _projects_in(path)
    return Path(*path.parts[:at]) if at else None


def project_key_of(path: Path) -> str | None:
    """The name of the project's folder below `projects/`."""
    at = _projects_in(path)
    return path.parts[at + 1] if at else None


def _projects_in(path: Path) -> int:
    """Where `projects` stands in the path, with a folder above it and something below; 0 when it does not."""
    parts = path.parts
    return next((n for n in range(len(parts) - 2, 0, -1) if parts[n] == "projects"), 0)


def classify(path: Path) -> Found:
    """What a file is, by its name and place."""
    stem = path.stem
    if stem.startswith("agent-"):
        side = next((folder.parent.name for folder in path.parents if folder.name == "subagents"), None)
        session = side if side and is_session_id(side) else None
        return Found(path, "agent", session, stem.removeprefix("agent-"))
    if is_session_id(stem):
        return Found(path, "session", stem)
    return Found(path, "log")


def find(source: Path, skips: Skips = ignore, also: Sequence[Path] = ()) -> Iterator[Found]:
    """The streams below a folder, or the one that a file is; sessions come before their sub-agents."""
    for path, _ in walk(source, skips, also):
        yield classify(Path(path))


def bounds_of(source: Path, also: Sequence[Path] = ()) -> Bounds | None:
    """Where the files below a folder may lie; None for a file, which a person named.

    The folder itself and its `projects/` may be links: who keeps sessions on another disk has one there.
    """
    return Bounds(source, source / "projects", *also) if source.is_dir() else None


def walk(source: Path, skips: Skips = ignore, also: Sequence[Path] = ()) -> Iterator[tuple[str, os.stat_result | None]]:
    """The files of `find` as bare paths with their status: thousands of unchanged ones cost little more than the look.

    Of a client's own folder (one that has `projects/`) only the projects are looked at. A file that is named and not
    there comes without a status. `skips` is told of what is left out: pipes, links that lead out of the source (and
    of `also`), folders that cannot be listed.
    """
    bounds = bounds_of(source, also)
    if bounds is None:
        try:
            yield str(source), source.stat()
        except OSError:
            yield str(source), None
        return
    yield from _files_below(source / "projects" if (source / "projects").is_dir() else source, bounds, skips)


def streams_below(folder: Path, skips: Skips = ignore) -> list[str]:
    """Every `*.jsonl` below a folder that a person named, also beside `projects/`."""
    return [name for name, _ in _files_below(folder, Bounds(folder, folder / "projects"), skips)]


def _files_below(top: Path, bounds: Bounds, skips: Skips) -> Iterator[tuple[str, os.stat_result]]:
    walked = Bounds(top)
    waiting = [iter(_listed(str(top), skips))]
    while waiting:
        for entry in waiting[-1]:
            if entry.is_dir(follow_symlinks=False):
                waiting.append(iter(_listed(entry.path, skips)))
                break
            is_link = entry.is_symlink()
            if not is_link and not entry.name.endswith(ENDING):
                continue
            try:
                status = entry.stat()
            except OSError as error:
                if error.errno != errno.ENOENT and entry.name.endswith(ENDING):
                    skips(Skip(entry.path, error.strerror or str(error), is_failure=error.errno != errno.ELOOP))
                continue
            is_folder = stat.S_ISDIR(status.st_mode)
            if not is_folder and not entry.name.endswith(ENDING):
                continue
            real = os.path.realpath(entry.path) if is_link else ""
            if is_folder and walked.hold(real):
                # It is walked at its own place.
                continue
            reason = None if is_folder else special(status.st_mode)
            if reason is None and is_link and not bounds.hold(real):
                reason = leads_out(real)
            if reason is not None:
                skips(Skip(entry.path, reason, is_failure=False))
            elif not is_folder:
                yield entry.path, status
            else:
                walked = Bounds(*walked.roots, real)
                waiting.append(iter(_listed(entry.path, skips)))
                break
        else:
            waiting.pop()


def is_passed_by(path: Path, source: Path) -> bool:
    """Whether `walk` leaves out a file below a source: one of a client's own folder that lies beside the projects."""
    projects = source / "projects"
    return projects.is_dir() and path.is_relative_to(source) and not path.is_relative_to(projects)


def _listed(folder: str, skips: Skips) -> list[os.DirEntry[str]]:
    """What a folder holds: each session, then the folder beside it, and at last sub-agents that lie among sessions."""
    try:
        return sorted(listed(folder, None), key=_place)
    except SourceUnreadable as error:
        skips(skip_of(folder, error))
        return []


def _place(entry: os.DirEntry[str]) -> tuple[bool, str, bool]:
    name = entry.name.removesuffix(ENDING)
    return name.startswith("agent-"), name, name is entry.name


def agents_beside(folder: Path, bounds: Bounds | None) -> dict[str, list[str]]:
    """Session → the files of its sub-agents that lie directly in a folder, as their first lines tell."""
    found: dict[str, list[str]] = {}
    for entry in _listed(str(folder), ignore):
        is_agent = entry.name.startswith("agent-") and entry.name.endswith(ENDING)
        if is_agent and (session := session_told(entry.path, bounds)):
            found.setdefault(session, []).append(entry.path)
    return found


def session_told(path: str | Path, bounds: Bounds | None = None) -> str | None:
    """The first session that the beginning of a file names; None when it names none, or cannot be read."""
    try:
        with open_file(path, bounds) as file:
            told = _SESSION.search(file.read(_HEAD_BYTES))
    except (SourceUnreadable, OSError):
        return None
    return told[1].decode() if told else None


_SESSION = re.compile(rb'"(?:sessionId|session_id)": ?"([0-9a-f-]{36})"')
_HEAD_BYTES = 16 << 10
