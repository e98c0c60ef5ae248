"""The names by which this machine gives away its owner: they are hidden wherever they occur."""

import contextlib
import getpass
import platform
from pathlib import Path

_ORDINARY_HOSTS = ("localhost", "localhost.localdomain", "buildkitsandbox")
_MIN_CHARS = 4


def own_users() -> tuple[str, ...]:
    """Returns the user's name, and that of the home folder if it differs."""
    names: list[str] = []
    with contextlib.suppress(OSError, KeyError):
        names.append(getpass.getuser())
    with contextlib.suppress(RuntimeError):
        home = Path.home()
        if home.parent.name.lower() in ("home", "users"):
            names.append(home.name)
    return tuple(dict.fromkeys(name for name in names if len(name) >= _MIN_CHARS))


def own_hosts() -> tuple[str, ...]:
    """Returns the name of this machine."""
    name = platform.node()
    short = name.partition(".")[0]
    found = dict.fromkeys((name, short))
    return tuple(each for each in found if len(each) >= _MIN_CHARS and each.lower() not in _ORDINARY_HOSTS)
