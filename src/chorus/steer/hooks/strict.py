"""The folders in which no answer means a denial.

The list is stored next to the program, which must know it when Chorus does not run.
"""

import json
import os

from chorus.base import config
from chorus.errors import ChorusError
from chorus.steer.hooks.home import Home, read, write


def strict_folders(settings: config.Config) -> list[str]:
    """Returns the folders that a person made strict, with links resolved."""
    return sorted({os.path.realpath(each.path) for each in settings.workspaces if each.gate == "strict"})


def write_strict(home: Home, settings: config.Config) -> None:
    """Writes the list for the hooks, if hooks were ever installed; removes it if no workspace is strict.

    Raises `ChorusError` if that fails.
    """
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
