"""Finds the lines of recorded patches in a text of which no version is known."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from chorus.core.blame.origins import MIN_SIGNS, Certainty, Edit, Evidence, Origin, Origins, bare

_MAX_COMPARED = 1_000_000
"""A patch of lines that are all repeated so often has no place that could be told from others."""


class Patch(Struct, frozen=True):
    """One part of a file as an edit left it: the lines it added, and unchanged lines around them."""

    edit: Edit
    lines: tuple[str, ...]
    added: tuple[int, ...]
    """The positions in `lines` of those that the edit added."""


def origins_of_patches(target: Sequence[str], patches: Iterable[Patch]) -> Origins:
    """Returns the origins of the lines that patches added, as far as each place is the only one that is possible.

    A patch counts if all its lines, with those around the change, stand in the text exactly once. Blanks are not
    compared: the client records them in another form. A line that two edits claim has no origin.
    """
    wanted = [bare(line) for line in target]
    places: dict[str, list[int]] = {}
    for at, line in enumerate(wanted):
        places.setdefault(line, []).append(at)
    claims: dict[int, set[Edit]] = {}
    for patch in patches:
        lines = [bare(line) for line in patch.lines]
        start = _only_place(lines, wanted, places)
        if start is None or not any(_is_distinctive(lines[at]) for at in patch.added):
            continue
        for at in patch.added:
            claims.setdefault(start + at, set()).add(patch.edit)
    result: Origins = [None] * len(target)
    for at, edits in claims.items():
        if len(edits) == 1:
            result[at] = Origin(next(iter(edits)), Certainty.LIKELY, Evidence.RECORDS)
    return result


def _only_place(lines: list[str], wanted: list[str], places: dict[str, list[int]]) -> int | None:
    """Returns where the lines stand one after the other; None if that is nowhere, or more than once."""
    if not lines:
        return None
    rarest = min(range(len(lines)), key=lambda at: len(places.get(lines[at], ())))
    if len(places.get(lines[rarest], ())) * len(lines) > _MAX_COMPARED:
        return None
    starts = (at - rarest for at in places.get(lines[rarest], ()))
    found = [at for at in starts if at >= 0 and wanted[at : at + len(lines)] == lines]
    return found[0] if len(found) == 1 else None


def _is_distinctive(line: str) -> bool:
    return sum(char.isalnum() for char in line) >= MIN_SIGNS
