"""The layout of a session on disk: sub-agent files, their sidecars, side files, plans.

    projects/<key>/<session>.jsonl                      the session
    projects/<key>/<session>/subagents/**/agent-*.jsonl  its sub-agents (since 2.1), each with a `.meta.json`
    projects/<key>/agent-*.jsonl                        its sub-agents (2.0), recognised by the session id inside
    projects/<key>/<session>/tool-results/*             outputs too long for the transcript
    plans/<slug>.md                                     the plan

Names found in transcripts are hostile text: paths are rebuilt from a file name, and no link out of the folder is
followed.
"""

import os
import re
import struct
from pathlib import Path

from chorus.core.conversation.items import SideFile
from chorus.errors import SourceUnreadable
from chorus.keep.sources.file_access import (
    Bounds,
    Skip,
    Skips,
    files_below,
    ignore,
    leads_out,
    listed,
    look_at,
    open_file,
    real_path,
    skip_of,
    special,
)

LONGEST_KEY = 200
"""The client shortens a longer name of a project's folder, and adds a digest of the path."""
_MAX_META_BYTES = 1 << 20
_MAX_PLAN_BYTES = 8 << 20
_NO_LETTER = re.compile(r"[^A-Za-z0-9]")
_BASE_36 = "0123456789abcdefghijklmnopqrstuvwxyz"


def project_key(folder: str) -> str:
    """Return the client's name, below `projects/`, of the folder with the sessions of a project."""
    key = _NO_LETTER.sub("-", folder)
    return key if len(key) <= LONGEST_KEY else f"{key[:LONGEST_KEY]}-{_short_digest(folder)}"


def _short_digest(text: str) -> str:
    """Return the client's digest of a path: the hash of JavaScript's strings, 32 bits with a sign, in base 36."""
    value = 0
    for (unit,) in struct.iter_unpack("<H", text.encode("utf-16-le", "surrogatepass")):
        value = (value * 31 + unit) & 0xFFFF_FFFF
    value = abs(value - (1 << 32)) if value >> 31 else value
    digits = ""
    while value or not digits:
        value, digit = divmod(value, 36)
        digits = _BASE_36[digit] + digits
    return digits


def side_folder(session_file: Path) -> Path:
    return session_file.with_suffix("")


def agent_files(session_file: Path, skips: Skips = ignore) -> list[Path]:
    """Return the sub-agent files that may belong to a session: those in its own folder, then those next to it."""
    bounds = session_bounds(session_file)
    below = files_below(side_folder(session_file) / "subagents", bounds, skips)
    try:
        beside = sorted(Path(entry.path) for entry in listed(session_file.parent, None))
    except SourceUnreadable as error:
        skips(skip_of(session_file.parent, error))
        beside = []
    return [path for path in (*below, *beside) if _is_agent_file(path, session_file, bounds, skips)]


def session_bounds(session_file: Path) -> Bounds:
    """Return where the files of a session that was named alone may be located: in its folder, or in another project's.

    The folder of an agent's file is that of its session: the folders in between may have become links.
    """
    folder = next(
        (each.parent.parent for each in session_file.parents if each.name == "subagents"), session_file.parent
    )
    return Bounds(folder, folder.parent if folder.parent.name == "projects" else folder)


def _is_agent_file(path: Path, session_file: Path, bounds: Bounds, skips: Skips) -> bool:
    if path == session_file or not path.name.startswith("agent-") or path.suffix != ".jsonl":
        return False
    try:
        status = path.stat()
    except OSError:
        return False
    reason = special(status.st_mode) or (None if bounds.contains(real := os.path.realpath(path)) else leads_out(real))
    if reason is not None:
        skips(Skip(str(path), reason, is_failure=False))
    return reason is None


def session_file_of(agent_file: str) -> str | None:
    """Return the session file of a sub-agent's file in the folder of its session; None for one that is elsewhere."""
    folder, separator, _ = agent_file.rpartition(f"{os.sep}subagents{os.sep}")
    return f"{folder}.jsonl" if separator else None


def meta_file(agent_file: Path) -> Path:
    return agent_file.with_suffix(".meta.json")


def read_meta(agent_file: Path) -> bytes | None:
    """Return the sidecar of a sub-agent file, or None if there is none."""
    return look_at(meta_file(agent_file), session_bounds(agent_file), _MAX_META_BYTES)


def find_side_file(session_file: Path, name: str) -> SideFile:
    """Return the side file `name` of a session. Only the session's own folder is searched.

    The path of an existing file contains no links, so that a later reader can tell whether it is the same file.
    """
    path = str(side_folder(session_file) / "tool-results" / name)
    size = None
    if is_file_name(name):
        try:
            with open_file(path, session_bounds(session_file)) as file:
                path, size = real_path(file.fileno(), path), os.fstat(file.fileno()).st_size
        except (SourceUnreadable, OSError):
            size = None
    return SideFile(name=name, path=path, size_bytes=size)


def read_plan(session_file: Path, slug: str) -> str | None:
    """Return the plan of a session in a client's own folder, or None if there is none."""
    if session_file.parent.parent.name != "projects" or not is_file_name(slug):
        return None
    plans = session_file.parent.parent.parent / "plans"
    data = look_at(plans / f"{slug}.md", Bounds(plans.parent), _MAX_PLAN_BYTES)
    return data.decode("utf-8", "replace") if data is not None else None


def is_file_name(text: str) -> bool:
    """Return whether a text from a transcript is a plain file name that cannot lead out of a folder."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return bool(text) and "\0" not in text and Path(text).name == text and not text.startswith(".")
