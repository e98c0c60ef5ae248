"""Sentences of the command line: at a terminal they break between words, in a pipe each stays one line."""

import re

from chorus.cli.table import terminal_width, width_of

_HANGING = "  "
_WORDS = re.compile(r"\S+\s*")


def prose(text: str) -> str:
    """A line of text, for standard output; what does not fit a terminal goes on below, a little further in.

    A word that is wider than the terminal stays whole: most likely it is a path, which people copy.
    """
    width = terminal_width()
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
