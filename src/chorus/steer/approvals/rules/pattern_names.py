"""The files that a pattern of a command line names at this moment, so that links among them can be followed."""

import fnmatch
import os
import posixpath

MAX_ENTRIES = 2_000
"""How many entries of folders are looked at; a rule must be quick."""


def names_of(pattern: str) -> list[str] | None:
    """Returns the paths that an absolute pattern with `*` and `?` names; None if that cannot be known quickly.

    Sets of characters and `**` mean different things to different shells, so they are not known.
    """
    if "[" in pattern or "**" in pattern:
        return None
    places = ["/"]
    looked = 0
    for part in pattern.split("/")[1:]:
        if "*" not in part and "?" not in part:
            places = [posixpath.join(place, part) for place in places]
            continue
        found: list[str] = []
        for place in places:
            try:
                names = os.listdir(place)  # noqa: PTH208 - a path would cost more than the listing
            except OSError:
                continue
            looked += len(names)
            if looked > MAX_ENTRIES:
                return None
            found += [posixpath.join(place, name) for name in names if _is_named(name, part)]
        places = found
    return places


def _is_named(name: str, part: str) -> bool:
    return fnmatch.fnmatchcase(name, part) and (not name.startswith(".") or part.startswith("."))
