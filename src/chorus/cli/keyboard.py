"""Read what a person types at the terminal without waiting for it."""

import os
import select
import sys

_LONGEST = 1 << 16


def line() -> str | None:
    """Return the line that was typed, or None if there is none yet. Raises `EOFError` for Ctrl-D."""
    if not select.select([sys.stdin], [], [], 0)[0]:
        return None
    read = os.read(sys.stdin.fileno(), _LONGEST)
    if not read:
        raise EOFError
    return _text(read)


def drop() -> None:
    """Discard what was typed so far."""
    import termios

    termios.tcflush(sys.stdin, termios.TCIFLUSH)


def take_unfinished() -> str:
    """Return the part of a line that was typed without Enter, and remove it from the terminal."""
    import termios

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    by_character = termios.tcgetattr(terminal)
    by_character[3] &= ~termios.ICANON
    by_character[6][termios.VMIN] = by_character[6][termios.VTIME] = 0
    try:
        # In line mode the terminal does not pass on a line before Enter.
        termios.tcsetattr(terminal, termios.TCSANOW, by_character)
        return _text(os.read(terminal, _LONGEST))
    finally:
        termios.tcsetattr(terminal, termios.TCSANOW, before)


def _text(read: bytes) -> str:
    return read.decode("utf-8", "replace").rstrip("\n")
