"""The folders in which silence is a no: beside the program, which must know them when nothing of Chorus runs."""

import json
import os

from chorus.base import config
from chorus.errors import ChorusError
from chorus.steer.hooks.home import Home, read, write


def strict_folders(settings: config.Config) -> list[str]:
    """The folders that a person made strict, links followed."""
    return sorted({os.path.realpath(each.path) for each in settings.workspaces if each.gate == "strict"})


def write_strict(home: Home, settings: config.Config) -> None:
    """Write the list where hooks find it, if hooks were ever installed; no list when no workspace is strict."""
    if not home.program.parent.is_dir():
        return
    folders = strict_folders(settings)
    wanted = json.dumps(folders, indent=2).encode() + b"\n" if folders else None
    if read(home.strict) == wanted and (wanted is not None or not os.path.lexists(home.strict)):
        return
    if wanted is not None:
        write(home, home.strict, wanted)
        return
    try:
        home.strict.unlink(missing_ok=True)
    except OSError as error:
        raise ChorusError(f"{home.strict}: {error.strerror or error}") from error
