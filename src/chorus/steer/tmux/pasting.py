"""Puts text into the program of a pane as a paste, and presses single keys.

`send-keys` is no safe way for text: it takes a semicolon at the end for itself, and a line feed is the key Enter. A
paste passes control characters on, so they are removed first: with an escape character in the text, what follows could
leave the paste and act as keys.
"""

import re
import secrets

from chorus.errors import ChorusError
from chorus.steer.tmux.arguments import pane_target
from chorus.steer.tmux.connection import Connection

LONGEST_BYTES = 200_000
_PIECE_BYTES = 4_000
"""Written with three digits for a byte, a piece is still a line that tmux reads at once."""
_LINE_ENDS = re.compile(r"\r\n?|\u2028|\u2029|\x85|\x0b|\x0c")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_PRESSED = "@chorus-pressed"
"""An option of the pane in which tmux notes that a key was sent."""
_KEYS = frozenset("123456789") | {"Enter", "y Enter", "n Enter"}


def cleaned(text: str) -> str:
    """Returns the text without control characters, with a line feed at the end of each line, and no blank end."""
    return _CONTROLS.sub("", _LINE_ENDS.sub("\n", text)).rstrip()


def paste(connection: Connection, pane: str, text: str) -> None:
    """Pastes a text that was `cleaned`. A program that knows pastes gets it between the marks of a paste."""
    data = text.encode()
    if cleaned(text) != text or not data:
        raise ChorusError("there is nothing to send, or it contains control characters")
    if len(data) > LONGEST_BYTES:
        raise ChorusError(f"a message to a pane may have {LONGEST_BYTES:,} bytes; this one has {len(data):,}")
    name = f"chorus-{secrets.token_hex(8)}"
    target = pane_target(pane)
    for start in range(0, len(data), _PIECE_BYTES):
        connection.run("set-buffer", *(["-a"] if start else []), "-b", name, "--", data[start : start + _PIECE_BYTES])
    connection.run("paste-buffer", "-d", "-p", "-r", "-b", name, "-t", target)


def press(connection: Connection, pane: str, key: str, condition: str) -> bool:
    """Presses a key once if a condition of tmux holds at that moment; returns whether it was pressed.

    tmux checks the condition and sends the key without reading anything in between. A line such as `y Enter` counts as
    one key.
    """
    if key not in _KEYS:
        raise ValueError(f"{key!r} is not a key that Chorus presses")
    target = pane_target(pane)
    token = secrets.token_hex(8)
    then = f"send-keys -t '{target}' {key} ; set-option -p -t '{target}' {_PRESSED} {token}"
    _, pressed = connection.run_with_facts(
        "if-shell", "-F", "-t", target, condition, then, pane=target, facts=f"#{{{_PRESSED}}}"
    )
    return pressed == token
