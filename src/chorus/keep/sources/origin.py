"""Where a source lies, which no content of it can claim: at the client's own place, or elsewhere."""

import re
from pathlib import Path

from chorus.core.conversation.authority import ELSEWHERE, OWN_PLACE, SESSION_FILE
from chorus.keep.sources.discover import Found, config_folder_of, project_key_of

_LONGEST_KEY = 190
"""Longer names of projects are cut by the client, and end in a digest."""


def origin_of(found: Found) -> int:
    """The origin of a source by its name and place."""
    if found.kind == "log":
        return ELSEWHERE
    config = config_folder_of(found.path)
    if config is None:
        return SESSION_FILE
    below = found.path.relative_to(config / "projects").parts
    is_own = len(below) == 2 or (found.kind == "agent" and len(below) > 3 and below[2] == "subagents")
    return OWN_PLACE if is_own else SESSION_FILE


def is_astray(path: Path, folder: str | None) -> bool:
    """Whether a source lies in another project's folder than that of the working folder it names first."""
    key = project_key_of(path)
    if key is None or folder is None:
        return False
    expected = re.sub(r"[^A-Za-z0-9]", "-", folder)
    return key != expected and not (len(expected) > _LONGEST_KEY and key[:_LONGEST_KEY] == expected[:_LONGEST_KEY])
