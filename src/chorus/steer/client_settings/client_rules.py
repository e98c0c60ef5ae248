"""The client's own permission rules, as its settings files say. Shown beside the rules of Chorus, never changed."""

import json
import stat
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

_MAX_BYTES = 4 << 20
_FILES = (".claude/settings.json", ".claude/settings.local.json")


class ClientRule(Struct, frozen=True):
    """A rule in a settings file of the client."""

    behaviour: Literal["allow", "deny", "ask"]
    text: str
    """As it is written there, such as `Bash(npm run test:*)`. Untrusted text."""
    file: str


def client_rules(config: Path, folders: list[Path]) -> list[ClientRule]:
    """Returns the rules in the person's settings and in those of the folders, in the order of the files."""
    files = [config / "settings.json", *(folder / name for folder in folders for name in _FILES)]
    return [rule for path in files for rule in _in(path)]


def _in(path: Path) -> list[ClientRule]:
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_BYTES:
            return []
        found: Any = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return []
    permissions = found.get("permissions") if isinstance(found, dict) else None
    if not isinstance(permissions, dict):
        return []
    behaviours: tuple[Literal["deny", "ask", "allow"], ...] = ("deny", "ask", "allow")
    return [
        ClientRule(behaviour, text, str(path))
        for behaviour in behaviours
        if isinstance(permissions.get(behaviour), list)
        for text in permissions[behaviour]
        if isinstance(text, str)
    ]
