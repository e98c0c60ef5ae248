"""What people call a workspace: its folder's name, with folders above it only where that is needed to tell two apart.

An id (`cli-2517dc10`) is a key, made from the folder and a digest of its path. It is never shown as a name.
"""

import re
from collections.abc import Iterable, Mapping

_SEPARATORS = re.compile(r"[/\\]+")
_HOME = re.compile(r"^(?:[A-Za-z]-)?-(?:(?:home|Users)-[^-]+|root)-(?=.)")
"""How the client's name of a project begins when the folder lies in somebody's home."""
_DIGEST = re.compile(r"-[0-9a-f]{8}$")
UNKNOWN = "unknown folder"
_MAX_STEPS = 40
"""A path may be anybody's text: folders further up count as one."""


class WorkspaceNames:
    """The names of all workspaces of one vault."""

    def __init__(self, places: Mapping[str, str]) -> None:
        """`places`: id → the folder that sessions worked in, or the place that their files were found in."""
        self._names = _told_apart({id_: _steps(place) for id_, place in places.items()})

    def of(self, workspace: str, folder: str | None = None) -> str:
        """The name of a workspace; `folder` is where a conversation in it worked, for one that nobody listed."""
        known = self._names.get(workspace)
        if known is not None:
            return known
        slug = _DIGEST.sub("", workspace)
        if folder and (steps := _steps(folder)) and _slug(steps[-1]) == slug:
            return _shortest(steps, 1)
        return slug if _is_telling(slug) else f"{UNKNOWN} {slug}".rstrip()


def _told_apart(places: Mapping[str, list[str]]) -> dict[str, str]:
    """The shortest name of each that no other has; of two that are the same in every step, both get the whole."""
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
    """The folders of a path; what is no path is the client's name of a project, which is one step."""
    if not _SEPARATORS.search(place):
        return [part for part in (place.strip("-"), _HOME.sub("", place).strip("-")) if part][-1:] or [UNKNOWN]
    steps = [step for step in _SEPARATORS.split(place) if step]
    if place.startswith(("/", "\\")):
        steps = ["", *steps]
    if len(steps) > _MAX_STEPS:
        steps = ["/".join(steps[:-_MAX_STEPS]), *steps[-_MAX_STEPS:]]
    return steps if steps != [""] else ["/"]


def _shortest(steps: list[str], length: int) -> str:
    """The last so many folders of a path; more where these say nothing, as `2` does."""
    for count in range(min(length, len(steps)), len(steps) + 1):
        name = "/".join(steps[-count:])
        if _is_telling(name):
            return name
    return "/".join(steps)


def _is_telling(name: str) -> bool:
    return any(char.isalpha() for char in name) or name == "/"


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
