"""Changes of files as hunks: the client's own where it tells them, else computed from the texts."""

import difflib
from collections.abc import Sequence

from chorus.records.model.file_results import Hunk as WireHunk
from chorus.views.blocks import Hunk

_CONTEXT = 3
_MOST_LINES = 2000
"""Above this a comparison line by line costs more than it tells."""


def hunks_of(hunks: Sequence[WireHunk] | None) -> tuple[Hunk, ...]:
    """The client's structured patch."""
    return tuple(
        Hunk(old_start=hunk.oldStart or 0, new_start=hunk.newStart or 0, lines=tuple(hunk.lines or ()))
        for hunk in hunks or ()
    )


def compared(old: str, new: str) -> tuple[Hunk, ...]:
    """The hunks that turn `old` into `new`; line numbers count from the start of the texts."""
    before, after = old.splitlines(), new.splitlines()
    if not before or not after or len(before) + len(after) > _MOST_LINES:
        lines = [*("-" + line for line in before), *("+" + line for line in after)]
        return (Hunk(old_start=1, new_start=1, lines=tuple(lines)),) if lines else ()
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=True)
    return tuple(_hunk(group, before, after) for group in matcher.get_grouped_opcodes(_CONTEXT))


def _hunk(group: list[tuple[str, int, int, int, int]], before: list[str], after: list[str]) -> Hunk:
    lines: list[str] = []
    for tag, old_from, old_to, new_from, new_to in group:
        if tag == "equal":
            lines.extend(" " + line for line in before[old_from:old_to])
            continue
        lines.extend("-" + line for line in before[old_from:old_to])
        lines.extend("+" + line for line in after[new_from:new_to])
    return Hunk(old_start=group[0][1] + 1, new_start=group[0][3] + 1, lines=tuple(lines))
