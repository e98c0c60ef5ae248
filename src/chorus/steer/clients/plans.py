"""Finds the plan of a session that asks to leave plan mode: in the session file, and in the file of the plan.

Some clients ask without sending the plan: it is in the call before the request, or in a file in the client's `plans/`,
which the session file names. All of this is untrusted text.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from chorus.core.conversation.tool_facts import kind_of
from chorus.core.records.session_ids import is_session_id
from chorus.errors import SourceUnreadable
from chorus.keep.sources.file_access import Bounds, look_at, open_file

LONGEST_BYTES = 1 << 20
_LOOK_BACK_BYTES = 4 << 20
_REFUSALS = (msgspec.DecodeError, UnicodeError, RecursionError)


class FoundPlan(NamedTuple):
    text: str
    path: str
    """The path of the file with the plan; empty if the plan was found in the call alone."""


def find_plans(folders: Iterable[Path], session: str, said: str | None = None) -> list[FoundPlan]:
    """Returns the plan in the call and the plan in its file, each once; `said` is the plan of the call if it is known.

    If both have the same plan, it is that of the file, so that a later change of the file is noticed. `folders` are
    client folders. Never raises.
    """
    found: list[FoundPlan] = []
    for folder in folders:
        from_session, path = _plan_in_session(folder, session)
        text = said if said is not None else from_session
        held = (plan_file(folder, path) if path else None) or ""
        if text and text.strip() and text.strip() != held.strip():
            found.append(FoundPlan(text, ""))
        if held.strip():
            found.append(FoundPlan(held, path))
        if found:
            return found
    return [FoundPlan(said, "")] if said and said.strip() else []


def plan_file(folder: Path, path: str) -> str | None:
    """Returns the content of a plan's file; None if it is not the client's, cannot be read, or is too long."""
    plans = folder / "plans"
    if not Path(path).is_relative_to(plans) and Path(os.path.realpath(path)).parent != Path(os.path.realpath(plans)):
        return None
    data = look_at(path, Bounds(plans), LONGEST_BYTES)
    try:
        return data.decode() if data is not None else None
    except UnicodeDecodeError:
        return None


def _plan_in_session(folder: Path, session: str) -> tuple[str | None, str]:
    """Returns the plan of the last such call in a session file, and the last path of a plan's file that it names."""
    plan, path = None, ""
    for line in _tail(folder, session):
        if b"planFilePath" not in line and b"xit" not in line:
            continue
        record = _decoded(line)
        attached, message = record.get("attachment"), record.get("message")
        if isinstance(attached, dict) and isinstance(attached.get("planFilePath"), str):
            path = attached["planFilePath"]
        content = message.get("content") if isinstance(message, dict) else None
        for block in content if isinstance(content, list) else []:
            if (
                isinstance(block, dict)
                and block.get("type") == "tool_use"
                and kind_of(str(block.get("name"))) == "plan"
            ):
                given = block.get("input")
                fields = given if isinstance(given, dict) else {}
                plan = fields["plan"] if isinstance(fields.get("plan"), str) else None
                path = fields["planFilePath"] if isinstance(fields.get("planFilePath"), str) else path
    return plan, path


def _tail(folder: Path, session: str) -> list[bytes]:
    if not is_session_id(session):
        return []
    projects = folder / "projects"
    try:
        path = next(projects.glob(f"*/{session}.jsonl"), None)
        if path is None:
            return []
        with open_file(path, Bounds(folder, projects)) as file:
            size = os.fstat(file.fileno()).st_size
            start = max(0, size - _LOOK_BACK_BYTES)
            return os.pread(file.fileno(), size - start, start).split(b"\n")
    except (OSError, SourceUnreadable):
        return []


def _decoded(line: bytes) -> dict[str, Any]:
    try:
        record = msgspec.json.decode(line)
    except _REFUSALS:
        return {}
    return record if isinstance(record, dict) else {}
