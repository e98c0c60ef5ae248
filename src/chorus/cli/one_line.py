"""Shorten untrusted text to one line."""

from chorus.core.views.safe import safe_line

_LONGEST_READ = 1_000


def shortened(text: str, most: int) -> str:
    """Return `text` as one line of at most `most` characters, with control and hidden characters as escapes."""
    line = safe_line(text[:_LONGEST_READ])
    return line if len(line) <= most and len(text) <= _LONGEST_READ else line[: most - 1] + "…"
