"""Applies edits to a text as the client does, and checks the result against the patch that the client recorded."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from chorus.core.file_versions.lines import NO_END
from chorus.core.records.model.file_results import Hunk

_TABS = re.compile("(?<![^\r\u2028\u2029])\t+")
"""Tabs that the client shows as spaces: at the beginning of what JavaScript takes for a line."""
_SPACES = re.compile("(?<![^\r\u2028\u2029]) ")
"""What may be such tabs."""


class Replacement(NamedTuple):
    """One replacement of a text by another."""

    old: str
    new: str
    is_everywhere: bool = False


class Edited(NamedTuple):
    """The text after an edit."""

    text: str
    is_checked: bool
    """Whether the client's own patch leads to the same text."""


def edited(before: str, replacements: Sequence[Replacement], patch: Sequence[Hunk] | None) -> Edited | None:
    """Returns the text after the replacements; None if they cannot be applied and no patch says more.

    The client may write something else than the record of the replacement says: it follows the quotation marks of the
    file. The recorded patch shows what it wrote, but with leading tabs as spaces.
    """
    asked = _replaced(before, replacements)
    if not patch:
        return Edited(asked, is_checked=False) if asked is not None else None
    if asked is not None and agrees(before, asked, patch):
        return Edited(asked, is_checked=True)
    patched = _patched(before, asked, patch)
    if patched is None:
        return Edited(asked, is_checked=False) if asked is not None else None
    return patched


def is_certain(before: str, replacements: Sequence[Replacement]) -> bool:
    """Returns whether replacements have one meaning only: each text is found, once unless all are replaced."""
    text: str | None = before
    for each in replacements:
        if text is None or not each.old or (text.count(each.old) != 1 and not each.is_everywhere):
            return False
        text = _replaced(text, (each,))
    return True


def agrees(before: str, after: str, patch: Sequence[Hunk]) -> bool:
    """Returns whether a patch of the client turns one text into the other."""
    old, new = _shown_lines(before), _shown_lines(after)
    old_at = new_at = 0
    for hunk in patch:
        lines = [line for line in hunk.lines or () if line != NO_END]
        first = _first(hunk.oldStart, hunk.oldLines)
        same = first - old_at
        if same < 0 or old[old_at:first] != new[new_at : new_at + same]:
            return False
        old_at, new_at = first, new_at + same
        removed = [line[1:] for line in lines if line[:1] in ("-", " ")]
        added = [line[1:] for line in lines if line[:1] in ("+", " ")]
        if old[old_at : old_at + len(removed)] != removed or new[new_at : new_at + len(added)] != added:
            return False
        old_at, new_at = old_at + len(removed), new_at + len(added)
    return old[old_at:] == new[new_at:] and _ends_agree(before, after, patch)


def _replaced(text: str, replacements: Sequence[Replacement]) -> str | None:
    for each in replacements:
        if not each.old:
            # The client creates a file this way, or fills an empty one.
            if text.strip():
                return None
            text = each.new
            continue
        if each.old not in text:
            return None
        old = each.old
        if not each.new and not old.endswith("\n") and old + "\n" in text:
            old += "\n"
        text = text.replace(old, each.new, -1 if each.is_everywhere else 1)
    return text


def _patched(before: str, asked: str | None, patch: Sequence[Hunk]) -> Edited | None:
    """Returns the text that the patch leads to.

    A line that begins with spaces in the patch may begin with tabs in the file. It is taken from `asked` if possible.
    """
    old = before.split("\n")
    known = {_shown(line): line for line in (asked or "").split("\n")}
    new: list[str] = []
    at, is_checked = 0, True
    ended = True
    for hunk in patch:
        first = _first(hunk.oldStart, hunk.oldLines)
        if first < at or first > len(old):
            return None
        new += old[at:first]
        at = first
        for line in hunk.lines or ():
            sign, shown = line[:1], line[1:]
            if line == NO_END:
                ended = False
            elif sign in (" ", "-"):
                if at >= len(old) or _shown(old[at]) != shown:
                    return None
                if sign == " ":
                    new.append(old[at])
                at += 1
            elif sign == "+":
                is_checked = is_checked and _SPACES.search(shown) is None
                new.append(known.get(shown, shown))
            else:
                return None
    new += old[at:]
    # Texts whose end changes are rare, and the patch says little about them.
    return Edited("\n".join(new), is_checked and ended) if before.endswith("\n") or at < len(old) else None


def _first(start: int | None, count: int | None) -> int:
    """Returns the index of the first old line of a hunk. An empty side is numbered by the line before it, or by 1."""
    return max(0, (start or 0) - 1) if count or (start or 0) <= 1 else (start or 0)


def _shown(line: str) -> str:
    return _TABS.sub(lambda found: "  " * len(found.group()), line) if "\t" in line else line


def _shown_lines(text: str) -> list[str]:
    lines = [_shown(line) for line in text.split("\n")]
    if lines[-1] == "":
        lines.pop()
    return lines


def _ends_agree(before: str, after: str, patch: Sequence[Hunk]) -> bool:
    """Returns whether the texts end as the last hunk says, if it reaches their ends."""
    has_mark = bool(patch) and NO_END in (patch[-1].lines or ())
    if has_mark:
        return not (before.endswith("\n") and after.endswith("\n"))
    return before.endswith("\n") == after.endswith("\n") or not before or not after
