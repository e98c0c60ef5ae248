"""The location of a source, which its content cannot fake: the client's own folder, or another place."""

import re
from pathlib import Path

from chorus.core.conversation.authority import ELSEWHERE, OWN_PLACE, SESSION_FILE
from chorus.keep.sources.discover import Found, config_folder_of, project_key_of

_LONGEST_KEY = 190
"""The client shortens longer project names, and adds a digest."""


def origin_of(found: Found) -> int:
    """Return the origin of a source according to its name and location."""
    if found.kind == "log":
        return ELSEWHERE
    config = config_folder_of(found.path)
    if config is None:
        return SESSION_FILE
    below = found.path.relative_to(config / "projects").parts
    is_own = len(below) == 2 or (found.kind == "agent" and len(below) > 3 and below[2] == "subagents")
    return OWN_PLACE if is_own else SESSION_FILE


def is_astray(path: Path, folder: str | None) -> bool:
    """Return whether a source is in the folder of another project than its first working folder."""
    key = project_key_of(path)
    if key is None or folder is None:
        return False
    expected = re.sub(r"[^A-Za-z0-9]", "-", folder)
    return key != expected and not (len(expected) > _LONGEST_KEY and key[:_LONGEST_KEY] == expected[:_LONGEST_KEY])
