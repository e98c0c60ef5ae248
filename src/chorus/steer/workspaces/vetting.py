"""Finds files in a workspace that act by themselves: settings, servers, agents, commands and skills.

Chorus starts the client in a mode in which it does not ask whether a folder is trusted. Hooks would run and rules would
allow calls before anybody saw them. So agents work in a folder with such files only after a person allowed exactly
these files; after any change of a byte the person is asked again. Programs and plugins that they name are not read.
"""

import errno
import hashlib
import os
import stat
from pathlib import Path

from chorus.base.config import Config
from chorus.errors import ChorusError, Unvetted
from chorus.steer.client_settings.effects import effects_of
from chorus.steer.client_settings.workspace_files import workspace_files

_MAX_BYTES = 4 << 20
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


def digest_of(folder: Path) -> str:
    """Returns a digest of these files; an empty text if there are none."""
    found = _contents(folder)
    if not found:
        return ""
    parts = [part for name, data in found.items() for part in (os.fsencode(name), str(len(data)).encode(), data)]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def brings(folder: Path) -> list[str]:
    """Returns what each of the files does, in words."""
    found = _contents(folder)
    return [
        f"{name}: {', '.join(effects_of(name, data)) or 'nothing that acts by itself'}" for name, data in found.items()
    ]


def require(config: Config, folder: Path) -> None:
    """Raises `Unvetted` if nobody has allowed the files in the folder to act."""
    current = digest_of(folder)
    known = next((each.trusted for each in config.workspaces if each.path == str(folder)), "")
    if current and current != known:
        raise Unvetted(str(folder), brings(folder))


def _contents(folder: Path) -> dict[str, bytes]:
    """Returns the files that exist and matter, by their names relative to the folder."""
    found: dict[str, bytes] = {}
    for each in workspace_files(folder):
        try:
            data = _content(each.path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise ChorusError(f"{each.path}: {error.strerror or error}; the client would read it, too") from error
        if not each.is_definition or effects_of(each.name, data):
            found[each.name] = data
    return found


def _content(path: Path) -> bytes:
    """Returns the content of a file; links are followed, as the client does.

    Raises `OSError` if it cannot be read completely.
    """
    with os.fdopen(os.open(path, _READ), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "is no file")
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise OSError(errno.EFBIG, "is too large to be looked at")
    return data
