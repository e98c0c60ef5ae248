"""What a workspace brings along that acts by itself: settings and servers of the client that lie in its folder.

Started as Chorus starts it, the client does not ask whether a folder is trusted. Its hooks would run, its rules would
allow, before anybody saw them. So a folder with such files is worked in only after a person said so, for exactly these
files; a change of any byte in them is asked about again.
"""

import errno
import hashlib
import json
import os
import stat
from pathlib import Path
from typing import Any

from chorus.config import Config
from chorus.errors import ChorusError, Unvetted

FILES = (".claude/settings.json", ".claude/settings.local.json", ".mcp.json")
"""In the folder, and in those above it as far as they belong to the same repository."""
_MOST_BYTES = 4 << 20
_MOST_NAMED = 12
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_ACTING = ("apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "otelHeadersHelper", "statusLine")


def digest_of(folder: Path) -> str:
    """What tells these files from any others; empty when there is none."""
    found = _contents(folder)
    if not found:
        return ""
    parts = [part for name, data in found.items() for part in (name.encode(), str(len(data)).encode(), data)]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def brings(folder: Path) -> list[str]:
    """In words, what there is in each of the files."""
    found = _contents(folder)
    return [f"{name}: {', '.join(_acting(data)) or 'nothing that acts by itself'}" for name, data in found.items()]


def require(config: Config, folder: Path) -> None:
    """`Unvetted` when nobody has said that what lies in the folder may act."""
    present = digest_of(folder)
    known = next((each.trusted for each in config.workspaces if each.path == str(folder)), "")
    if present and present != known:
        raise Unvetted(str(folder), brings(folder))


def _contents(folder: Path) -> dict[str, bytes]:
    """The files that there are, by their names as seen from the folder."""
    found: dict[str, bytes] = {}
    for up, place in enumerate(_places(folder)):
        for name in FILES:
            try:
                found["../" * up + name] = _content(place / name)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                raise ChorusError(
                    f"{place / name}: {error.strerror or error}; the client would read it, too"
                ) from error
    return found


def _content(path: Path) -> bytes:
    """All of a file; a link is followed, as the client does. `OSError` for one that cannot be looked at whole."""
    with os.fdopen(os.open(path, _READ), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "is no file")
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise OSError(errno.EFBIG, "is too large to be looked at")
    return data


def _places(folder: Path) -> list[Path]:
    """The folder and those above it, up to the top of the repository that it lies in; else the folder alone."""
    above = [folder, *folder.parents]
    top = next((n for n, place in enumerate(above) if (place / ".git").exists()), 0)
    return above[: top + 1]


def _acting(data: bytes) -> list[str]:
    try:
        settings = json.loads(data)
    except (ValueError, RecursionError):
        return ["no JSON"]
    if not isinstance(settings, dict):
        return ["no settings"]
    hooks = [f"runs `{command}`" for command in _commands(settings.get("hooks"))]
    servers = [f"starts the server {name!r}" for name in _keys(settings.get("mcpServers"))]
    helpers = [f"runs its {name}" for name in _ACTING if name in settings]
    permissions = settings.get("permissions")
    rules = permissions.get("allow") if isinstance(permissions, dict) else None
    allowed = [f"allows {rule}" for rule in rules if isinstance(rule, str)] if isinstance(rules, list) else []
    mode = permissions.get("defaultMode") if isinstance(permissions, dict) else None
    modes = [f"begins in mode {mode}"] if isinstance(mode, str) else []
    variables = [f"sets {name}" for name in _keys(settings.get("env"))]
    found = [*hooks, *servers, *helpers, *modes, *allowed, *variables]
    more = [f"and {len(found) - _MOST_NAMED} more"] if len(found) > _MOST_NAMED else []
    return [*found[:_MOST_NAMED], *more]


def _keys(value: Any) -> list[str]:
    return list(value) if isinstance(value, dict) else []


def _commands(value: Any) -> list[str]:
    """Every command that hooks name, wherever it stands in them."""
    found: list[str] = []
    waiting = [value]
    while waiting:
        each = waiting.pop(0)
        if isinstance(each, dict):
            command = each.get("command")
            found += [command] if isinstance(command, str) else []
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
    return found
