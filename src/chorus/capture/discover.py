"""Where the client keeps its sessions, and which files below a folder are what."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from chorus.capture.layout import is_regular_file

CONFIG_VARIABLE = "CLAUDE_CONFIG_DIR"
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


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
    for folder in path.parents:
        if folder.name == "projects":
            return folder.parent
    return None


def project_key_of(path: Path) -> str | None:
    """The name of the project's folder below `projects/`."""
    below = path
    for folder in path.parents:
        if folder.name == "projects":
            return below.name
        below = folder
    return None


def classify(path: Path) -> Found:
    """What a file is, by its name and place."""
    stem = path.stem
    if stem.startswith("agent-"):
        side = next((folder.parent.name for folder in path.parents if folder.name == "subagents"), None)
        session = side if side and _UUID.fullmatch(side) else None
        return Found(path, "agent", session, stem.removeprefix("agent-"))
    if _UUID.fullmatch(stem):
        return Found(path, "session", stem)
    return Found(path, "log")


def find(source: Path) -> Iterator[Found]:
    """The streams below a folder, or the one that a file is; sessions come before their sub-agents.

    Of a client's own folder (one that has `projects/`) only the projects are looked at.
    """
    if not source.is_dir():
        yield classify(source)
        return
    top = source / "projects" if (source / "projects").is_dir() else source
    for folder, folders, files in os.walk(top):
        folders.sort()
        names = [name for name in files if name.endswith(".jsonl")]
        for name in sorted(names, key=lambda name: (name.startswith("agent-"), name)):
            path = Path(folder, name)
            if is_regular_file(path):
                yield classify(path)
