"""Which files of a workspace the client takes orders from, found where it finds them.

Tried on client 2.1.325, started as Chorus starts it: `docs/security.md` tells what came of each. It reads `.mcp.json`
in the folder and in every one above; agents, commands and skills as far up as the repository goes, all the way where
there is none, and in a worktree those of the main checkout, with its local settings. Links are followed. Settings are
read in the folder itself; they are looked at wherever agents are, should another client read them there.
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


class Brought(Struct, frozen=True):
    """A file that the client would read, if it is there."""

    name: str
    """As it is seen from the workspace."""
    path: Path
    is_definition: bool = False
    """Whether most of its kind are mere words: an agent, a command or a skill counts by what its front matter says."""


def brought(folder: Path) -> list[Brought]:
    """All that may act in a folder, the nearest first. `ChorusError` when it is more than can be looked at."""
    above = [folder, *folder.parents]
    top = next((n for n, place in enumerate(above) if (place / ".git").exists()), len(above) - 1)
    found: list[Brought] = []
    for up, place in enumerate(above):
        if up <= top and (up == 0 or not _is_clients_own(place / ".claude")):
            found += _in(place, "../" * up)
        found.append(Brought("../" * up + _SERVERS, place / _SERVERS))
    main = _main_checkout(above[top])
    if main is not None and main not in above:
        found += _in(main, f"{main}/")
    if len(found) > _MOST:
        raise _too_many(folder)
    return found


def own(folder: Path) -> list[Brought]:
    """What acts in the client's own folder, wherever it works: the person's settings, agents, commands and skills."""
    settings = [Brought(str(folder / name), folder / name) for name in ("settings.json", "settings.local.json")]
    return [*settings, *_defined(folder, folder, f"{folder}/")]


def _in(place: Path, prefix: str) -> list[Brought]:
    settings = [Brought(f"{prefix}{name}", place / name) for name in _SETTINGS]
    return [*settings, *_defined(place / ".claude", place, prefix)]


def _defined(claude: Path, place: Path, prefix: str) -> list[Brought]:
    """Agents, commands, skills and plugins among these; named as seen from `place`."""
    skills = claude / "skills"
    acting: list[Path] = []
    defined = [path for kind in ("agents", "commands") for path in _below(claude / kind, ".md")]
    for skill in _entries(skills):
        if (skill / _MANIFEST).exists():
            acting += _below(skill, ".md", ".json")
        else:
            defined.append(skill / "SKILL.md")
    return [
        *(Brought(f"{prefix}{path.relative_to(place)}", path) for path in acting),
        *(Brought(f"{prefix}{path.relative_to(place)}", path, is_definition=True) for path in defined),
    ]


def _below(folder: Path, *endings: str) -> list[Path]:
    """The files in a folder and those below it, each folder once, whichever links lead there."""
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
    """Whether this is where the client keeps the person's own settings, which are no workspace's."""
    return os.path.realpath(folder) == os.path.realpath(config_folder())


def _main_checkout(top: Path) -> Path | None:
    """The folder that a worktree's repository was first checked out in; None where there is no other."""
    own = _pointer(top / ".git").removeprefix("gitdir:").strip()
    common = _pointer(top / own / "commondir") if own else ""
    repository = Path(os.path.realpath(top / own / common)) if common else None
    return repository.parent if repository is not None and repository.name == ".git" else None


def _pointer(path: Path) -> str:
    """A line by which git points elsewhere; empty when there is none."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return os.fsdecode(file.read(_POINTER_BYTES)).strip()
    except (OSError, ValueError):
        return ""
