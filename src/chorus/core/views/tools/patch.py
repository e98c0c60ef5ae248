"""Converts file changes to hunks: from the client's patch if there is one, or by comparing the texts."""

import difflib
from collections.abc import Sequence

from chorus.core.records.model.file_results import Hunk as WireHunk
from chorus.core.views.blocks import Hunk

_CONTEXT = 3
_MAX_LINES = 2000
"""Longer texts are not compared line by line: that costs more than it is worth."""


def hunks_of(hunks: Sequence[WireHunk] | None) -> tuple[Hunk, ...]:
    """Returns the hunks of the client's structured patch."""
    return tuple(
        Hunk(old_start=hunk.oldStart or 0, new_start=hunk.newStart or 0, lines=tuple(hunk.lines or ()))
        for hunk in hunks or ()
    )


def compared(old: str, new: str) -> tuple[Hunk, ...]:
    """Returns the hunks that turn `old` into `new`, without line numbers: their position in the file is unknown."""
    is_ended = old.endswith("\n") and new.endswith("\n")
    before, after = (_lines(text, is_ended=is_ended) for text in (old, new))
    if not before or not after or len(before) + len(after) > _MAX_LINES:
        lines = [*("-" + line for line in before), *("+" + line for line in after)]
        return (Hunk(old_start=None, new_start=None, lines=tuple(lines)),) if lines else ()
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=True)
    return tuple(_hunk(group, before, after) for group in matcher.get_grouped_opcodes(_CONTEXT))


def _lines(text: str, *, is_ended: bool) -> list[str]:
    """Returns the lines of a text. A final line feed counts as a line unless both texts have it (`is_ended`)."""
    return (text[:-1] if is_ended else text).split("\n") if text else []


def _hunk(group: list[tuple[str, int, int, int, int]], before: list[str], after: list[str]) -> Hunk:
    lines: list[str] = []
    for tag, old_from, old_to, new_from, new_to in group:
        if tag == "equal":
            lines.extend(" " + line for line in before[old_from:old_to])
            continue
        lines.extend("-" + line for line in before[old_from:old_to])
        lines.extend("+" + line for line in after[new_from:new_to])
    return Hunk(old_start=None, new_start=None, lines=tuple(lines))
