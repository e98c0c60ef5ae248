"""Finds the client's folder, and classifies the files below a folder."""

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
"""The file name extension of streams; other files are streams only if a person names them."""


class Found(Struct, frozen=True):
    """A file that contains a stream."""

    path: Path
    kind: str
    """`session`, `agent` (a sub-agent's file) or `log` (any other file with one record per line)."""
    session_id: str | None = None
    """According to the location of the file; the location of an agent file next to the session does not state it."""
    agent_id: str | None = None


def config_folder() -> Path:
    """Return the client's own folder: `$CLAUDE_CONFIG_DIR`, else `~/.claude`."""
    named = os.environ.get(CONFIG_VARIABLE)
    try:
        return Path(named).expanduser() if named else Path.home() / ".claude"
    except RuntimeError as error:
        raise SourceUnreadable(f"no home folder is known for this user: set HOME, or {CONFIG_VARIABLE}") from error


def config_folder_of(path: Path) -> Path | None:
    """Return the client's folder that contains a session file, or None if it is outside of one (a copy, an export)."""
    at = _projects_in(path)
    return Path(*path.parts[:at]) if at else None


def project_key_of(path: Path) -> str | None:
    """Return the name of the project's folder below `projects/`, or None."""
    at = _projects_in(path)
    return path.parts[at + 1] if at else None


def _projects_in(path: Path) -> int:
    """Return the index of `projects` in the path, with a folder above it and something below it; 0 if there is none."""
    parts = path.parts
    return next((n for n in range(len(parts) - 2, 0, -1) if parts[n] == "projects"), 0)


def classify(path: Path) -> Found:
    """Classify a file by its name and location."""
    stem = path.stem
    if stem.startswith("agent-"):
        side = next((folder.parent.name for folder in path.parents if folder.name == "subagents"), None)
        session = side if side and is_session_id(side) else None
        return Found(path, "agent", session, stem.removeprefix("agent-"))
    if is_session_id(stem):
        return Found(path, "session", stem)
    return Found(path, "log")


def find(source: Path, skips: Skips = ignore, also: Sequence[Path] = ()) -> Iterator[Found]:
    """Yield the streams below a folder, or the one stream of a file; sessions come before their sub-agents."""
    for path, _ in walk(source, skips, also):
        yield classify(Path(path))


def bounds_of(source: Path, also: Sequence[Path] = ()) -> Bounds | None:
    """Return where the files below a folder may be located; None for a file, which a person named.

    The folder itself and its `projects/` may be links, for example to sessions on another disk.
    """
    return Bounds(source, source / "projects", *also) if source.is_dir() else None


def walk(source: Path, skips: Skips = ignore, also: Sequence[Path] = ()) -> Iterator[tuple[str, os.stat_result | None]]:
    """Yield the files of `find` as plain paths with their status; fast, even for thousands of unchanged files.

    In a client's own folder (one with `projects/`) only the projects are read. A file that was named and does not exist
    has no status. `skips` is called with what is left out: pipes, links that lead out of the source (and of `also`),
    folders that cannot be listed.
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
    """Return every `*.jsonl` below a folder that a person named, also outside of `projects/`."""
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
            if is_folder and walked.contains(real):
                # It is visited under its own path.
                continue
            reason = None if is_folder else special(status.st_mode)
            if reason is None and is_link and not bounds.contains(real):
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


def is_outside_projects(path: Path, source: Path) -> bool:
    """Return whether `walk` leaves out a file below a source: one in a client's own folder, outside of the projects."""
    projects = source / "projects"
    return projects.is_dir() and path.is_relative_to(source) and not path.is_relative_to(projects)


def _listed(folder: str, skips: Skips) -> list[os.DirEntry[str]]:
    """Return the entries of a folder: each session, then the folder of the same name, and finally sub-agents."""
    try:
        return sorted(listed(folder, None), key=_place)
    except SourceUnreadable as error:
        skips(skip_of(folder, error))
        return []


def _place(entry: os.DirEntry[str]) -> tuple[bool, str, bool]:
    name = entry.name.removesuffix(ENDING)
    return name.startswith("agent-"), name, name is entry.name


def agents_in_folder(folder: Path, bounds: Bounds | None) -> dict[str, list[str]]:
    """Return session → the files of its sub-agents that are directly in a folder, according to their first lines."""
    found: dict[str, list[str]] = {}
    for entry in _listed(str(folder), ignore):
        is_agent = entry.name.startswith("agent-") and entry.name.endswith(ENDING)
        if is_agent and (session := first_session_named(entry.path, bounds)):
            found.setdefault(session, []).append(entry.path)
    return found


def first_session_named(path: str | Path, bounds: Bounds | None = None) -> str | None:
    """Return the first session that the beginning of a file names; None if it names none or cannot be read."""
    try:
        with open_file(path, bounds) as file:
            match = _SESSION.search(file.read(_HEAD_BYTES))
    except (SourceUnreadable, OSError):
        return None
    return match[1].decode() if match else None


_SESSION = re.compile(rb'"(?:sessionId|session_id)": ?"([0-9a-f-]{36})"')
_HEAD_BYTES = 16 << 10
