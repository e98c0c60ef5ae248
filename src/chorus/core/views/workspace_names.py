"""Display names of workspaces: the name of the folder, with parent folders only if two names would be equal.

An id (`cli-2517dc10`) is a key, built from the folder and a digest of its path. It is never shown as a name.
"""

import re
from collections.abc import Iterable, Mapping

_SEPARATORS = re.compile(r"[/\\]+")
_HOME = re.compile(r"^(?:[A-Za-z]-)?-(?:(?:home|Users)-[^-]+|root)-(?=.)")
"""How the client's name of a project begins if the folder is inside a home directory."""
_DIGEST = re.compile(r"-[0-9a-f]{8}$")
UNKNOWN = "unknown folder"
_MAX_STEPS = 40
"""A path may be untrusted text: folders further up are treated as one."""


class WorkspaceNames:
    """The display names of all workspaces of one vault."""

    def __init__(self, places: Mapping[str, str]) -> None:
        """`places` maps an id to the folder that sessions worked in, or to the folder where their files were found."""
        self._names = _unique_names({id_: _steps(place) for id_, place in places.items()})

    def of(self, workspace: str, folder: str | None = None) -> str:
        """Returns the name of a workspace. For an unlisted one, `folder` is where a conversation in it worked."""
        known = self._names.get(workspace)
        if known is not None:
            return known
        slug = _DIGEST.sub("", workspace)
        if folder and (steps := _steps(folder)) and _slug(steps[-1]) == slug:
            return _shortest(steps, 1)
        return slug if _is_meaningful(slug) else f"{UNKNOWN} {slug}".rstrip()


def _unique_names(places: Mapping[str, list[str]]) -> dict[str, str]:
    """Returns the shortest unique name of each. If two paths are equal in every step, both get the full path."""
    lengths = dict.fromkeys(places, 1)
    while True:
        names = {id_: _shortest(steps, lengths[id_]) for id_, steps in places.items()}
        shared = [id_ for ids in _by_name(names) for id_ in ids if len(ids) > 1]
        longer = [id_ for id_ in shared if lengths[id_] < len(places[id_])]
        if not longer:
            return names
        for id_ in longer:
            lengths[id_] += 1


def _by_name(names: Mapping[str, str]) -> Iterable[list[str]]:
    found: dict[str, list[str]] = {}
    for id_, name in names.items():
        found.setdefault(name, []).append(id_)
    return found.values()


def _steps(place: str) -> list[str]:
    """Returns the folders of a path. Text that is no path is the client's name of a project, which is one step."""
    if not _SEPARATORS.search(place):
        return [part for part in (place.strip("-"), _HOME.sub("", place).strip("-")) if part][-1:] or [UNKNOWN]
    steps = [step for step in _SEPARATORS.split(place) if step]
    if place.startswith(("/", "\\")):
        steps = ["", *steps]
    if len(steps) > _MAX_STEPS:
        steps = ["/".join(steps[:-_MAX_STEPS]), *steps[-_MAX_STEPS:]]
    return steps if steps != [""] else ["/"]


def _shortest(steps: list[str], length: int) -> str:
    """Returns the last `length` folders of a path, or more if these have no letter, such as `2`."""
    for count in range(min(length, len(steps)), len(steps) + 1):
        name = "/".join(steps[-count:])
        if _is_meaningful(name):
            return name
    return "/".join(steps)


def _is_meaningful(name: str) -> bool:
    return any(char.isalpha() for char in name) or name == "/"


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
