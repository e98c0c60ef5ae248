"""Where the client keeps its sessions, and which files below a folder are what."""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from chorus.records.session_ids import is_session_id

CONFIG_VARIABLE = "CLAUDE_CONFIG_DIR"


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
    return Path(named).expanduser() if named else Path.home() / ".claude"


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


def find(source: Path) -> Iterator[Found]:
    """The streams below a folder, or the one that a file is; sessions come before their sub-agents."""
    for path, _ in walk(source):
        yield classify(Path(path))


def walk(source: Path) -> Iterator[tuple[str, os.stat_result | None]]:
    """The files of `find` as bare paths with their status: thousands of unchanged ones cost little more than the look.

    Of a client's own folder (one that has `projects/`) only the projects are looked at. A file that is named and not
    there comes without a status.
    """
    if not source.is_dir():
        try:
            yield str(source), source.stat()
        except OSError:
            yield str(source), None
        return
    top = source / "projects" if (source / "projects").is_dir() else source
    waiting = [iter(_listed(str(top)))]
    while waiting:
        for entry in waiting[-1]:
            if entry.is_dir(follow_symlinks=False):
                waiting.append(iter(_listed(entry.path)))
                break
            if entry.name.endswith(".jsonl"):
                try:
                    status = entry.stat()
                except OSError:
                    continue
                if stat.S_ISREG(status.st_mode):
                    yield entry.path, status
        else:
            waiting.pop()


def is_passed_by(path: Path, source: Path) -> bool:
    """Whether `walk` leaves out a file below a source: one of a client's own folder that lies beside the projects."""
    projects = source / "projects"
    return projects.is_dir() and path.is_relative_to(source) and not path.is_relative_to(projects)


def _listed(folder: str) -> list[os.DirEntry[str]]:
    """What a folder holds: each session, then the folder beside it, and at last sub-agents that lie among sessions."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=_place)
    except OSError:
        return []


def _place(entry: os.DirEntry[str]) -> tuple[bool, str, bool]:
    name = entry.name.removesuffix(".jsonl")
    return name.startswith("agent-"), name, name is entry.name


def agents_beside(folder: Path) -> dict[str, list[str]]:
    """Session → the files of its sub-agents that lie directly in a folder, as their first lines tell."""
    found: dict[str, list[str]] = {}
    for entry in _listed(str(folder)):
        is_agent = entry.name.startswith("agent-") and entry.name.endswith(".jsonl")
        if is_agent and (session := session_told(entry.path)):
            found.setdefault(session, []).append(entry.path)
    return found


def session_told(path: str | Path) -> str | None:
    """The first session that the beginning of a file names; None when it names none, or cannot be read."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - a path as the system gave it
            told = _SESSION.search(file.read(_HEAD_BYTES))
    except OSError:
        return None
    return told[1].decode() if told else None


_SESSION = re.compile(rb'"(?:sessionId|session_id)": ?"([0-9a-f-]{36})"')
_HEAD_BYTES = 16 << 10
