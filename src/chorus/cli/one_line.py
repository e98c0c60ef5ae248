"""What a stranger wrote, made fit for one line."""

from chorus.core.views.safe import safe_line

_LONGEST_READ = 1_000


def shortened(text: str, most: int) -> str:
    """`text` on one line of at most `most` characters, with nothing in it that acts or hides."""
    line = safe_line(text[:_LONGEST_READ])
    return line if len(line) <= most and len(text) <= _LONGEST_READ else line[: most - 1] + "…"
