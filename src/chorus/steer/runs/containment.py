"""Containment: which places of the machine a contained client sees, and which it may change.

It gets its own processes, /proc and /tmp, a home that is created for the run, its workspace with write access, and the
person's settings read-only. The home of Chorus, all other homes, and the sockets of tmux, ssh agents and services are
not visible.
"""

import os
import re
import shutil
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from chorus.errors import ChorusError
from chorus.steer.runs import contained

PROGRAM = "bwrap"
_HOMES = ("/home", "/root", "/Users")
_HIDDEN = ("/tmp", "/var/tmp", "/run")  # noqa: S108 - hidden, not used
_NEEDED_OF_RUN = "/run/systemd/resolve"
_SHARED = ("todos", "file-history", "plans", "tasks")
"""What the client stores next to a session, below its own folder."""
_OF_SHELLS = "shell-snapshots"
"""What every shell of a session runs first: whoever writes there acts in other sessions, which are not contained."""
_CREDENTIALS = ".credentials.json"
_STATE = ".claude.json"
_COPIED = (".gitconfig", ".config/git/config")
_FIRST_PERSON, _NOBODY = 1000, 65534
"""The numbers of users that are people."""
_LEAST_PARTS = 2
_SOCKETS = "/proc/net/unix"
_FLAGS_FIELD, _PATH_FIELD = 3, 7
_LISTENING = "00010000"
_UNSET = ("SSH_AUTH_SOCK", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "TMUX")
_BASE_OPTIONS = (
    "--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
    "--die-with-parent", "--new-session", "--cap-drop", "ALL",
)  # fmt: skip


class Containment(Struct, frozen=True, kw_only=True, rename="camel"):
    """How a run is contained."""

    has_network: bool = True


class Places(Struct, frozen=True, kw_only=True):
    """The paths of one run."""

    workspace: Path
    home: Path
    """The person's home."""
    config: Path
    """The client's own folder."""
    program: Path
    """The client's binary."""
    private: Path
    """An empty folder that becomes the home of the run."""
    hidden: tuple[Path, ...]
    """The home of Chorus, the vault and the permission ledger."""


def probe(bwrap: str) -> list[str]:
    """Returns a command that succeeds if containment works on this machine."""
    return launcher(bwrap, [*_BASE_OPTIONS, "--ro-bind", "/", "/", "--proc", "/proc", "--", "/bin/sh", "-c", ":"])


def launcher(bwrap: str, options: Iterable[str]) -> list[str]:
    """Returns the command that starts bubblewrap with the filter of system calls."""
    return [sys.executable, "-P", "-E", str(Path(contained.__file__).resolve()), bwrap, *options]


def command(bwrap: str, kind: Containment, places: Places, client: list[str]) -> list[str]:
    """Returns the command that starts the contained client, and creates its home.

    Raises `ChorusError` if the workspace cannot be contained.
    """
    _refuse_if_too_wide(places)
    _create_home(places)
    options = [*_BASE_OPTIONS, *([] if kind.has_network else ["--unshare-net"]), "--ro-bind", "/", "/"]
    homes = {*map(os.path.realpath, _HOMES), str(places.home), *homes_of_people()}
    for place in sorted({*homes, *_HIDDEN} - {"/"}):
        if Path(place).is_dir() and not Path(place).is_symlink():
            options += ["--tmpfs", place]
    options += ["--ro-bind-try", _NEEDED_OF_RUN, _NEEDED_OF_RUN, "--dev", "/dev", "--proc", "/proc"]
    options += ["--remount-ro", "/proc", "--bind", str(places.private), str(places.home)]
    if not places.config.is_relative_to(places.home):
        options += ["--bind", str(places.private / "config"), str(places.config)]
    options += _config_options(places)
    options += ["--ro-bind", str(places.program), str(places.program)]
    real = places.program.resolve()
    options += ["--ro-bind", str(real), str(real)] if real != places.program else []
    options += ["--bind", str(places.workspace), str(places.workspace)]
    for name in (".claude", ".mcp.json"):
        if (places.workspace / name).exists():
            options += ["--ro-bind", str(places.workspace / name), str(places.workspace / name)]
    for place in places.hidden:
        if place.is_dir() and not _is_hidden_already(place, [*homes, *_HIDDEN], places):
            options += ["--tmpfs", str(place)]
    for place in own_sockets():
        if not _is_hidden_already(place, [*homes, *_HIDDEN, *map(str, places.hidden)], places):
            options += ["--ro-bind", os.devnull, str(place)]
    for name in _UNSET:
        options += ["--unsetenv", name]
    options += ["--setenv", "TMPDIR", "/tmp", "--chdir", str(places.workspace), "--", *client]  # noqa: S108 - its own
    return launcher(bwrap, options)


def homes_of_people() -> set[str]:
    """Returns the homes of the people of this machine, who may have them anywhere."""
    # Windows, which has no containment, does not have this module.
    import pwd

    people = [each.pw_dir for each in pwd.getpwall() if _FIRST_PERSON <= each.pw_uid < _NOBODY]
    found = {os.path.realpath(each) for each in people if each.startswith("/")}
    # A folder directly below the root, such as `/usr`, is no home, whatever an entry says.
    return {each for each in found if len(Path(each).parts) > _LEAST_PARTS}


def own_sockets() -> list[Path]:
    """Returns the sockets of files at which programs of this user listen now, wherever they are.

    Who reaches the socket of a tmux server or an ssh agent can do what its owner can.
    """
    try:
        lines = Path(_SOCKETS).read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    found: set[Path] = set()
    for line in lines:
        fields = line.split(maxsplit=_PATH_FIELD)
        if len(fields) > _PATH_FIELD and fields[_FLAGS_FIELD] == _LISTENING and fields[_PATH_FIELD].startswith("/"):
            found.add(Path(fields[_PATH_FIELD]))
    return sorted(each for each in found if _is_own_socket(each))


def _is_own_socket(path: Path) -> bool:
    try:
        status = path.lstat()
    except (OSError, ValueError):
        return False
    return stat.S_ISSOCK(status.st_mode) and status.st_uid == os.getuid()


def _config_options(places: Places) -> list[str]:
    """Returns the options for the client's folder: sessions of this workspace are writable, the rest is read-only."""
    config = places.config
    projects = config / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(places.workspace))
    writable = [projects, *(config / name for name in _SHARED)]
    for place in writable:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    if (config / _CREDENTIALS).is_file():
        writable.append(config / _CREDENTIALS)
    options: list[str] = []
    for entry in sorted(config.iterdir()):
        if entry.name not in ("projects", "sessions", "ide", _CREDENTIALS, _STATE, _OF_SHELLS, *_SHARED):
            options += ["--ro-bind", str(entry), str(entry)]
    for place in writable:
        options += ["--bind", str(place), str(place)]
    return options


def _create_home(places: Places) -> None:
    """Creates the home of the run, with copies of the files that programs expect in a home and that may be shown."""
    places.private.mkdir(mode=0o700, exist_ok=True)
    is_inside = places.config.is_relative_to(places.home)
    config = places.private / (places.config.relative_to(places.home) if is_inside else "config")
    config.mkdir(mode=0o700, parents=True, exist_ok=True)
    copies = {places.home / name: places.private / name for name in (*_COPIED, _STATE)}
    for source, target in {**copies, places.config / _STATE: config / _STATE}.items():
        if source.is_file():
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            target.chmod(0o600)


def _refuse_if_too_wide(places: Places) -> None:
    work = places.workspace
    for name, place in (("your home", places.home), ("the client's folder", places.config)):
        if place.is_relative_to(work):
            raise ChorusError(
                f"{work} contains {name}, so an agent that works there cannot be contained; use a folder of its own"
            )
    for place in places.hidden:
        if work.is_relative_to(place):
            raise ChorusError(f"{work} is inside {place}, which a contained agent must not see")


def _is_hidden_already(place: Path, covered: Iterable[str], places: Places) -> bool:
    is_shown = place.is_relative_to(places.workspace) or place.is_relative_to(places.config)
    return not is_shown and any(place.is_relative_to(each) for each in covered)
