"""What a text says about progress: how many of a total are done."""

import re

from msgspec import Struct

MOST = 100_000_000
"""A larger number is an id, a size or a time, and no count of steps."""
_STEP_CHARS = 80
_SPACES = re.compile(r"\s+")


class Count(Struct, frozen=True, gc=False):
    """A statement about progress, as one text makes it."""

    step: str
    """What is being done, in a few words."""
    completed: int
    total: int | None
    """None if the text does not say how many there are."""
    confidence: float
    """From 0 to 1: how sure it is that the text is about progress."""

    @property
    def is_finished(self) -> bool:
        return self.total is not None and self.completed >= self.total


def count_of(step: str, completed: str | int, total: str | int | None, confidence: float) -> Count | None:
    """Returns the statement; None if the numbers cannot be progress."""
    done = _number(completed)
    whole = None if total is None else _number(total)
    if done is None or (total is not None and (whole is None or whole < 1 or done > whole)):
        return None
    return Count(short(step), done, whole, confidence)


def short(step: str) -> str:
    """Returns the name of a step on one line, cut at a word."""
    words = _SPACES.sub(" ", step).lstrip(" .…,;:-–—*#_`|>").rstrip(" .…,;:-–—*_`|")
    if len(words) > _STEP_CHARS:
        words = words[:_STEP_CHARS].rpartition(" ")[0] or words[:_STEP_CHARS]
        words += "…"
    return words[:1].upper() + words[1:]


def last_match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Returns the last place at which the pattern matches."""
    found = None
    for each in pattern.finditer(text):
        found = each
    return found


def _number(text: str | int) -> int | None:
    if isinstance(text, str):
        digits = text.replace(",", "").replace("_", "").replace(" ", "")
        if not digits.isdecimal() or len(digits) > len(str(MOST)):
            return None
        text = int(digits)
    return text if 0 <= text <= MOST else None
