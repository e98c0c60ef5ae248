"""Names a sub-agent that works now, from the note that the client writes next to the sub-agent's file.

The note exists before the sub-agent asks for anything, and needs no index. All of it is untrusted text.
"""

from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec import Struct

from chorus.core.records.session_ids import is_session_id
from chorus.keep.sources.file_access import Bounds, look_at

_LONGEST_BYTES = 64 << 10
_REFUSALS = (msgspec.DecodeError, UnicodeError, RecursionError)


class _Note(Struct):
    agentType: str = ""  # noqa: N815 - the client's name
    description: str = ""


_note = msgspec.json.Decoder(_Note)


def sub_agent_name(folders: Iterable[Path], session: str, agent: str) -> str:
    """Returns type and description of a sub-agent, such as `Explore: find the tests`; empty if they are not known.

    `folders` are client folders. Never raises.
    """
    if not is_session_id(session) or not (agent.isascii() and agent.isalnum()):
        return ""
    for folder in folders:
        bounds = Bounds(folder, folder / "projects")
        try:
            paths = list((folder / "projects").glob(f"*/{session}/subagents/**/agent-{agent}.meta.json"))
        except OSError:
            continue
        for path in paths:
            data = look_at(str(path), bounds, _LONGEST_BYTES)
            if data is not None and (name := _named(data)):
                return name
    return ""


def _named(data: bytes) -> str:
    try:
        note = _note.decode(data)
    except _REFUSALS:
        return ""
    return ": ".join(part for part in (note.agentType.strip(), note.description.strip()) if part)
