"""Lists the files of a workspace that the client takes instructions from, where the client looks for them.

Tested with client 2.1.325, started as Chorus starts it; `docs/security.md` has the results. It reads `.mcp.json` in the
folder and in every parent. It reads agents, commands and skills up to the top of the repository, or in all parents if
there is none, and in a worktree those of the main checkout, with its local settings. Links are followed. Settings are
read in the folder itself; Chorus checks them wherever agents are, in case another client reads them there.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from chorus.errors import ChorusError
from chorus.keep.sources.discover import config_folder

_SETTINGS = (".claude/settings.json", ".claude/settings.local.json")
_SERVERS = ".mcp.json"
_MANIFEST = ".claude-plugin"
_MOST = 5_000
_POINTER_BYTES = 4_096


class ClientFile(Struct, frozen=True):
    """A file that the client reads if it exists."""

    name: str
    """Its name relative to the workspace."""
    path: Path
    is_definition: bool = False
    """Whether it is usually plain text: an agent, a command or a skill counts only if its front matter acts."""


def workspace_files(folder: Path) -> list[ClientFile]:
    """Returns the files that may act in a folder, nearest first.

    Raises `ChorusError` if there are too many to check.
    """
    above = [folder, *folder.parents]
    top = next((n for n, place in enumerate(above) if (place / ".git").exists()), len(above) - 1)
    found: list[ClientFile] = []
    for up, place in enumerate(above):
        if up <= top and (up == 0 or not _is_clients_own(place / ".claude")):
            found += _in(place, "../" * up)
        found.append(ClientFile("../" * up + _SERVERS, place / _SERVERS))
    main = _main_checkout(above[top])
    if main is not None and main not in above:
        found += _in(main, f"{main}/")
    if len(found) > _MOST:
        raise _too_many(folder)
    return found


def settings_files(folder: Path) -> list[ClientFile]:
    """Returns the settings and servers of the folder itself: a fixed number of files, whatever else is there."""
    return [ClientFile(name, folder / name) for name in (*_SETTINGS, _SERVERS)]


def user_files(folder: Path) -> list[ClientFile]:
    """Returns the person's own settings, agents, commands and skills, which act in every workspace.

    Raises `ChorusError` if there are too many to check.
    """
    settings = [ClientFile(str(folder / name), folder / name) for name in ("settings.json", "settings.local.json")]
    found = [*settings, *_defined(folder, folder, f"{folder}/")]
    if len(found) > _MOST:
        raise _too_many(folder)
    return found


def _in(place: Path, prefix: str) -> list[ClientFile]:
    settings = [ClientFile(f"{prefix}{name}", place / name) for name in _SETTINGS]
    return [*settings, *_defined(place / ".claude", place, prefix)]


def _defined(claude: Path, place: Path, prefix: str) -> list[ClientFile]:
    """Returns agents, commands, skills and plugins in a folder; named relative to `place`."""
    skills = claude / "skills"
    acting: list[Path] = []
    defined = [path for kind in ("agents", "commands") for path in _below(claude / kind, ".md")]
    for skill in _entries(skills):
        if (skill / _MANIFEST).exists():
            acting += _below(skill, ".md", ".json")
        else:
            defined.append(skill / "SKILL.md")
    return [
        *(ClientFile(f"{prefix}{path.relative_to(place)}", path) for path in acting),
        *(ClientFile(f"{prefix}{path.relative_to(place)}", path, is_definition=True) for path in defined),
    ]


def _below(folder: Path, *endings: str) -> list[Path]:
    """Returns the files in a folder and below it; each folder once, whatever links lead to it."""
    found: list[Path] = []
    seen: set[str] = set()
    for place, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(place)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        if len(seen) + len(found) > _MOST:
            raise _too_many(folder)
        folders.sort()
        found += [Path(place, name) for name in sorted(names) if name.lower().endswith(endings)]
    return found


def _too_many(folder: Path) -> ChorusError:
    return ChorusError(f"{folder}: more than {_MOST:,} files and folders that the client reads, too many to look at")


def _entries(folder: Path) -> Iterator[Path]:
    try:
        yield from sorted(folder.iterdir())
    except OSError:
        return


def _is_clients_own(folder: Path) -> bool:
    """Returns whether this is the client's own folder with the person's settings, which belong to no workspace."""
    return os.path.realpath(folder) == os.path.realpath(config_folder())


def _main_checkout(top: Path) -> Path | None:
    """Returns the main checkout of a worktree's repository; None if there is no other."""
    own = _pointer(top / ".git").removeprefix("gitdir:").strip()
    common = _pointer(top / own / "commondir") if own else ""
    repository = Path(os.path.realpath(top / own / common)) if common else None
    return repository.parent if repository is not None and repository.name == ".git" else None


def _pointer(path: Path) -> str:
    """Returns the line with which git points to another folder; empty if there is none."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return os.fsdecode(file.read(_POINTER_BYTES)).strip()
    except (OSError, ValueError):
        return ""
