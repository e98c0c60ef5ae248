"""Follows lines through the versions of a file, and through a last change that nobody recorded."""

import re
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise

from msgspec import Struct

from chorus.core.alignment.lines import align

_BLANKS = re.compile(r"\s+")
MIN_SIGNS = 4
"""A line with fewer letters and digits than this says nothing about where it comes from after it was reformatted."""


class Certainty(StrEnum):
    """How sure the origin of a line is."""

    EXACT = "exact"
    """The line is as an edit wrote it, and every version in between is known."""
    LIKELY = "likely"
    """Versions in between are not all known, or only blanks in the line changed since."""


class Evidence(StrEnum):
    """What an origin is known from."""

    SNAPSHOTS = "snapshots"
    RECORDS = "records"
    """Only what the client wrote down about its calls: what happened between them is not known."""


class Edit(Struct, frozen=True):
    """The edit that wrote a version: a call or a turn of a conversation. Equal edits are one."""

    conversation: str
    agent: str = ""
    turn: int = 0
    call: str = ""
    tool: str = ""
    prompt: str = ""
    model: str = ""


class Means(StrEnum):
    """How a version came to be."""

    EDITOR = "editor"
    """Every line that changed was written."""
    COMMAND = "command"
    """A command may have run a formatter, or brought back what the file was earlier."""
    UNDO = "undo"
    """Chorus brought back what the file was earlier."""


class Version(Struct, frozen=True):
    """A file at one moment."""

    lines: Sequence[str]
    edit: Edit | None
    """The edit that wrote it; None if a person or a program that Chorus does not know did."""
    follows: bool = True
    """Whether it is known that nothing lies between it and the version before."""
    means: Means = Means.EDITOR
    evidence: Evidence = Evidence.SNAPSHOTS


class Origin(Struct, frozen=True):
    """Where a line comes from."""

    edit: Edit
    certainty: Certainty
    evidence: Evidence = Evidence.SNAPSHOTS


Origins = list[Origin | None]
"""The origin of each line; None if it is not known, or not an agent's."""


def follow(versions: Sequence[Version]) -> list[Origins]:
    """Returns the origins of the lines of each version.

    A command that brought an earlier version back wrote nothing: each line belongs to whom it belonged then.
    """
    found: list[Origins] = []
    earlier: dict[tuple[str, ...], Origins] = {}
    lines: Sequence[str] = ()
    origins: Origins = []
    for version in versions:
        new: Origins = [None] * len(version.lines)
        if version.edit is not None:
            certainty = Certainty.EXACT if version.follows else Certainty.LIKELY
            # Without the version before, it is not known which lines the edit wrote.
            if found or not version.lines or version.follows:
                new = [Origin(version.edit, certainty, version.evidence)] * len(version.lines)
        pairs = align(lines, version.lines)
        for old_at, new_at in pairs:
            new[new_at] = origins[old_at]
        if version.edit is None or version.means is Means.COMMAND:
            # A formatter may have run: lines of which only blanks changed keep their origin.
            _add_reformatted(lines, origins, version.lines, pairs, new)
        content = tuple(version.lines)
        if content in earlier and version.means is Means.UNDO:
            new = earlier[content]
        elif content in earlier and version.edit is not None and version.means is Means.COMMAND:
            new = [origin and _less_certain(origin) for origin in earlier[content]]
        lines, origins = version.lines, new
        earlier[content] = new
        found.append(new)
    return found


def origins_in(target: Sequence[str], versions: Sequence[Version], found: Sequence[Origins]) -> Origins:
    """Returns the origins of the lines of a text that is none of the versions, for example of a commit.

    The version with the most equal lines is the one that the text came from. Lines that are not in it have no origin,
    unless only their blanks differ.
    """
    best = closest(target, versions)
    if best is None:
        return [None] * len(target)
    lines, origins = versions[best].lines, found[best]
    result: Origins = [None] * len(target)
    pairs = align(lines, target)
    for old_at, new_at in pairs:
        result[new_at] = origins[old_at]
    _add_reformatted(lines, origins, target, pairs, result)
    return result


def closest(target: Sequence[str], versions: Sequence[Version]) -> int | None:
    """Returns the number of the version that has most in common with a text; of equal ones the last. None without one.

    A version that shares less than a tenth of the text is none.
    """
    for number in range(len(versions) - 1, -1, -1):
        if list(versions[number].lines) == list(target):
            return number
    wanted = Counter(map(bare, target))
    best, best_score = None, 0.0
    for number, version in enumerate(versions):
        common = (Counter(map(bare, version.lines)) & wanted).total()
        score = 2 * common / max(1, len(target) + len(version.lines))
        if score >= best_score:
            best, best_score = number, score
    return best if best_score >= 0.1 else None


def bare(line: str) -> str:
    return _BLANKS.sub("", line)


def _add_reformatted(
    lines: Sequence[str],
    origins: Origins,
    target: Sequence[str],
    pairs: Sequence[tuple[int, int]],
    result: Origins,
) -> None:
    """Finds lines of which only blanks changed: they stand between the same neighbours. Those of nobody stay so.

    A line with few signs that looks like an old one has no origin.
    """
    edges = [(-1, -1), *pairs, (len(lines), len(target))]
    for (old_left, new_left), (old_right, new_right) in pairwise(edges):
        if old_right - old_left < 2 or new_right - new_left < 2:
            continue
        old = [bare(line) for line in lines[old_left + 1 : old_right]]
        new = [bare(line) for line in target[new_left + 1 : new_right]]
        for old_at, new_at in align(old, new):
            origin = origins[old_left + 1 + old_at]
            has_enough_signs = sum(char.isalnum() for char in new[new_at]) >= MIN_SIGNS
            # A short line may be the old one, or a new one that looks like it.
            result[new_left + 1 + new_at] = origin and _less_certain(origin) if has_enough_signs else None


def _less_certain(origin: Origin) -> Origin:
    return Origin(origin.edit, Certainty.LIKELY, origin.evidence)
