"""What a workspace brings along that acts by itself: settings, servers, agents, commands and skills in its folder.

Started as Chorus starts it, the client does not ask whether a folder is trusted. Its hooks would run, its rules would
allow, before anybody saw them. So a folder with such files is worked in only after a person said so, for exactly these
files; a change of any byte in them is asked about again. Programs and plugins that they name are not read.
"""

import errno
import hashlib
import os
import stat
from pathlib import Path

from chorus.base.config import Config
from chorus.errors import ChorusError, Unvetted
from chorus.steer.client_settings.effects import acting
from chorus.steer.client_settings.workspace_files import brought

_MAX_BYTES = 4 << 20
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


def digest_of(folder: Path) -> str:
    """What tells these files from any others; empty when there is none."""
    found = _contents(folder)
    if not found:
        return ""
    parts = [part for name, data in found.items() for part in (os.fsencode(name), str(len(data)).encode(), data)]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def brings(folder: Path) -> list[str]:
    """In words, what there is in each of the files."""
    found = _contents(folder)
    return [f"{name}: {', '.join(acting(name, data)) or 'nothing that acts by itself'}" for name, data in found.items()]


def require(config: Config, folder: Path) -> None:
    """`Unvetted` when nobody has said that what lies in the folder may act."""
    present = digest_of(folder)
    known = next((each.trusted for each in config.workspaces if each.path == str(folder)), "")
    if present and present != known:
        raise Unvetted(str(folder), brings(folder))


def _contents(folder: Path) -> dict[str, bytes]:
    """The files that there are and count, by their names as seen from the folder."""
    found: dict[str, bytes] = {}
    for each in brought(folder):
        try:
            data = _content(each.path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise ChorusError(f"{each.path}: {error.strerror or error}; the client would read it, too") from error
        if not each.is_definition or acting(each.name, data):
            found[each.name] = data
    return found


def _content(path: Path) -> bytes:
    """All of a file; a link is followed, as the client does. `OSError` for one that cannot be looked at whole."""
    with os.fdopen(os.open(path, _READ), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "is no file")
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise OSError(errno.EFBIG, "is too large to be looked at")
    return data
