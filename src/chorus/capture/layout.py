"""How clients lay a session out on disk: sub-agent files, their sidecars, side files, plans.

    projects/<key>/<session>.jsonl                      the session
    projects/<key>/<session>/subagents/**/agent-*.jsonl  its sub-agents (since 2.1), each with a `.meta.json`
    projects/<key>/agent-*.jsonl                        its sub-agents (2.0), told by the session id inside
    projects/<key>/<session>/tool-results/*             outputs too long for the transcript
    plans/<slug>.md                                     the plan

Names found in transcripts are text from strangers: paths are rebuilt from a file name, and no link is followed.
"""

import os
import stat
from pathlib import Path

from chorus.conversation.items import SideFile

_MAX_META_BYTES = 1 << 20
_MAX_PLAN_BYTES = 8 << 20


def side_folder(session_file: Path) -> Path:
    return session_file.with_suffix("")


def agent_files(session_file: Path) -> list[Path]:
    """The sub-agent files that may belong to a session: those in its own folder, then those beside it."""
    below = sorted(side_folder(session_file).glob("subagents/**/agent-*.jsonl"))
    beside = sorted(session_file.parent.glob("agent-*.jsonl"))
    return [path for path in (*below, *beside) if path != session_file and is_regular_file(path)]


def meta_file(agent_file: Path) -> Path:
    return agent_file.with_suffix(".meta.json")


def read_meta(agent_file: Path) -> bytes | None:
    """The sidecar of a sub-agent file, if there is one."""
    return _read_regular(meta_file(agent_file), _MAX_META_BYTES)


def find_side_file(session_file: Path, name: str) -> SideFile:
    """The side file `name` of a session: looked for in the session's own folder and nowhere else."""
    folder = side_folder(session_file) / "tool-results"
    path = folder / name
    size = None
    if Path(name).name == name and not _is_link(folder) and not _is_link(folder.parent):
        try:
            status = path.lstat()
            size = status.st_size if stat.S_ISREG(status.st_mode) else None
        except (OSError, ValueError):
            size = None
    return SideFile(name=name, path=str(path), size_bytes=size)


def read_plan(session_file: Path, slug: str) -> str | None:
    """The plan file of a session in a client's own folder; None when there is none."""
    if session_file.parent.parent.name != "projects" or not is_file_name(slug):
        return None
    data = _read_regular(session_file.parent.parent.parent / "plans" / f"{slug}.md", _MAX_PLAN_BYTES)
    return data.decode("utf-8", "replace") if data is not None else None


def is_file_name(text: str) -> bool:
    """Whether a text out of a transcript can name a file in a folder, and nothing beyond it."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return bool(text) and "\0" not in text and Path(text).name == text and not text.startswith(".")


def is_regular_file(path: Path) -> bool:
    """Whether a path found in a folder is a file: opening a pipe or device that lies there could block for ever."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


def _is_link(path: Path) -> bool:
    try:
        return stat.S_ISLNK(path.lstat().st_mode)
    except OSError:
        return False


def _read_regular(path: Path, limit: int) -> bytes | None:
    """The first bytes of a regular file that is no link; None for anything else."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags)
    except (OSError, ValueError):
        return None
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        return file.read(limit)
