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

_FORMAT = str.maketrans("", "", " \t\r'\"`,;()")
"""Blanks, quotes, final commas and brackets around a long line. `keep/snapshots` takes the same for formatting."""


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
            # A formatter may have run: lines that only have other blanks or breaks keep their origin.
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
    """Finds lines that a formatter changed: they stand between the same neighbours. Those of nobody stay so.

    In such a line only blanks changed, or it was split or joined with others. A line with few signs that looks like an
    old one has no origin.
    """
    formatted = _formatted(lines, origins, target)
    if formatted is not None:
        # Equal lines that stand elsewhere would lead to the wrong ones.
        result[:] = formatted
        return
    edges = [(-1, -1), *pairs, (len(lines), len(target))]
    for (old_left, new_left), (old_right, new_right) in pairwise(edges):
        if old_right - old_left < 2 or new_right - new_left < 2:
            continue
        some = slice(old_left + 1, old_right), slice(new_left + 1, new_right)
        formatted = _formatted(lines[some[0]], origins[some[0]], target[some[1]])
        if formatted is not None:
            result[some[1]] = formatted
            continue
        old, new = [[bare(line) for line in each] for each in (lines[some[0]], target[some[1]])]
        for old_at, new_at in align(old, new):
            origin = origins[old_left + 1 + old_at]
            # A short line may be the old one, or a new one that looks like it.
            result[new_left + 1 + new_at] = origin and _less_certain(origin) if _has_enough_signs(new[new_at]) else None


def _formatted(lines: Sequence[str], origins: Origins, target: Sequence[str]) -> Origins | None:
    """Returns the origins of lines of which a formatter changed nothing but blanks, quotes and breaks.

    None if more changed, or if there are so few signs that this may be by chance. A line that was made of lines of two
    origins has none.
    """
    text = "".join(map(_signs, lines))
    if text != "".join(map(_signs, target)) or not _has_enough_signs(text):
        return None
    places = [place for place, line in enumerate(lines) for _ in _signs(line)]
    found: Origins = []
    at = 0
    for line in target:
        end = at + len(_signs(line))
        if end > at:
            of = range(places[at], places[end - 1] + 1)
        else:
            # A line without a sign: those that stand between the same signs.
            of = range(places[at - 1] + 1 if at else 0, places[at] if at < len(places) else len(lines))
        whose = {origins[place] for place in of if end == at or _signs(lines[place])}
        only = whose.pop() if len(whose) == 1 else None
        is_same = any(lines[place] == line for place in of)
        if only is not None and not is_same:
            only = _less_certain(only) if _has_enough_signs(line) else None
        found.append(only)
        at = end
    return found


def _signs(line: str) -> str:
    """Returns a line without what formatters add and remove."""
    return line.translate(_FORMAT)


def _has_enough_signs(text: str) -> bool:
    return sum(char.isalnum() for char in text) >= MIN_SIGNS


def _less_certain(origin: Origin) -> Origin:
    return Origin(origin.edit, Certainty.LIKELY, origin.evidence)
