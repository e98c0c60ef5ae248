"""The whole screen of a terminal, for a command that draws it again and again."""

import contextlib
import sys
from collections.abc import Iterator

_ENTER, _LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[r\x1b[?25h\x1b[?1049l"


@contextlib.contextmanager
def full_screen() -> Iterator[None]:
    """Use the second screen of the terminal, without a cursor; the first one is as before afterwards."""
    write(_ENTER)
    try:
        yield
    finally:
        write(_LEAVE)


def write(text: str) -> None:
    """Write to the terminal at once."""
    if text:
        sys.stdout.write(text)
        sys.stdout.flush()
