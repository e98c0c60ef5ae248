"""What a person types at the terminal while something else is watched: nothing here waits for them."""

import os
import select
import sys

_LONGEST = 1 << 16


def line() -> str | None:
    """The line that was typed, None while there is none; `EOFError` for Ctrl-D."""
    if not select.select([sys.stdin], [], [], 0)[0]:
        return None
    read = os.read(sys.stdin.fileno(), _LONGEST)
    if not read:
        raise EOFError
    return _text(read)


def drop() -> None:
    """What was typed so far counts no more."""
    import termios

    termios.tcflush(sys.stdin, termios.TCIFLUSH)


def take_begun() -> str:
    """What was typed of a line that is not finished; it stands there no more."""
    import termios

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    by_character = termios.tcgetattr(terminal)
    by_character[3] &= ~termios.ICANON
    by_character[6][termios.VMIN] = by_character[6][termios.VTIME] = 0
    try:
        # As long as it is read by lines, the terminal keeps one that is not finished to itself.
        termios.tcsetattr(terminal, termios.TCSANOW, by_character)
        return _text(os.read(terminal, _LONGEST))
    finally:
        termios.tcsetattr(terminal, termios.TCSANOW, before)


def _text(read: bytes) -> str:
    return read.decode("utf-8", "replace").rstrip("\n")
