"""Wrap sentences between words at a terminal; in a pipe each sentence stays one line."""

import re
from typing import TextIO

from chorus.cli.table import terminal_width, width_of

_HANGING = "  "
_WORDS = re.compile(r"\S+\s*")


def prose(text: str, *, on: TextIO | None = None) -> str:
    """Return `text` wrapped for a stream, or else for standard output, with further lines indented.

    A word that is wider than the terminal is not broken: it is most likely a path that people copy.
    """
    width = terminal_width(on)
    if width is None or width_of(text) <= width:
        return text + "\n"
    lines: list[str] = []
    line = text[: len(text) - len(text.lstrip())]
    for word in _WORDS.findall(text):
        if line.strip() and width_of(line) + width_of(word.rstrip()) > width:
            lines.append(line.rstrip())
            line = _HANGING + word
        else:
            line += word
    return "\n".join((*lines, line.rstrip())) + "\n"
