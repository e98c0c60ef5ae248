"""The keys of the player in the terminal: read one by one without waiting, and what each of them does."""

import contextlib
import os
import select
import sys
from collections.abc import Callable, Iterator

from chorus.core.replay.player import MARKS, Player
from chorus.core.replay.steps import Step

SEEK_S = 5.0
ESCAPE = "\x1b"
QUIT = frozenset({"q", "Q", "\x03", ESCAPE})
HELP = "?"
_LONGEST = 64
_SEQUENCES = {
    "\x1b[C": "right",
    "\x1b[D": "left",
    "\x1b[H": "home",
    "\x1b[F": "end",
    "\x1bOC": "right",
    "\x1bOD": "left",
    "\x1bOH": "home",
    "\x1bOF": "end",
    **dict.fromkeys(("\x1b[1~", "\x1b[7~"), "home"),
    **dict.fromkeys(("\x1b[4~", "\x1b[8~"), "end"),
}
"""What terminals send; tmux, screen and the console of Linux send others for home and end than xterm does."""

_KEYS: dict[str, Callable[[Player], object]] = {
    " ": Player.toggle,
    "right": lambda player: player.seek(SEEK_S),
    "left": lambda player: player.seek(-SEEK_S),
    "home": lambda player: player.go_to_moment(0),
    "end": lambda player: player.seek_share(1),
    ".": lambda player: player.step(Step.ROW),
    ",": lambda player: player.step(Step.ROW, is_back=True),
    "]": lambda player: player.step(MARKS),
    "[": lambda player: player.step(MARKS, is_back=True),
    "+": Player.play_faster,
    "=": Player.play_faster,
    ">": Player.play_faster,
    "-": Player.play_slower,
    "<": Player.play_slower,
}
_STEPS = {"c": Step.CALL, "t": Step.TURN, "p": Step.PROMPT, "e": Step.ERROR, "d": Step.EDIT, "u": Step.QUESTION}

HELP_LINES = (
    "space    play, or stop",
    "← →      5 seconds back, or forward",
    ", .      previous, next row",
    "[ ]      previous, next mark: prompt, edit, error, question, compaction",
    "c t      next call, next turn",
    "p e d u  next prompt, error, edit, question",
    "C T P E  the previous one; also D U",
    "- +      slower, faster",
    "0 … 9    to the start, 10 %, … 90 %",
    "home end to the start, to the end",
    "?        these keys",
    "q, Esc   end",
)


def press(player: Player, key: str) -> bool:
    """Do what a key is for; return whether it is for anything."""
    if key in _KEYS:
        _KEYS[key](player)
    elif key.lower() in _STEPS:
        player.step(_STEPS[key.lower()], is_back=key != key.lower())
    elif len(key) == 1 and key in "0123456789":
        player.seek_share(int(key) / 10)
    else:
        return False
    return True


@contextlib.contextmanager
def keys() -> Iterator[Callable[[float], list[str]]]:
    """Yield a function that waits up to some seconds and returns the keys that were pressed.

    The terminal passes keys on one by one meanwhile, and is as before afterwards. Where that is not possible, the
    function only waits.
    """
    try:
        import termios
        import tty
    except ImportError:
        import time

        def wait(seconds: float) -> list[str]:
            time.sleep(seconds)
            return []

        yield wait
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal)
        yield lambda seconds: _read(terminal, seconds)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _read(terminal: int, seconds: float) -> list[str]:
    if not select.select([terminal], [], [], max(0.0, seconds))[0]:
        return []
    data = os.read(terminal, _LONGEST)
    if not data:
        # The terminal was closed.
        return ["q"]
    return split(data.decode("utf-8", "replace"))


def split(text: str) -> list[str]:
    """Return the keys in what a terminal sent. An escape sequence is one key."""
    found: list[str] = []
    while text:
        sequence = next((each for each in _SEQUENCES if text.startswith(each)), None)
        if sequence is not None:
            found.append(_SEQUENCES[sequence])
            text = text[len(sequence) :]
        elif text.startswith(("\x1b[", "\x1bO")):
            # An unknown sequence: it ends with a letter or a tilde.
            end = next((n for n, char in enumerate(text[2:], start=2) if char.isalpha() or char == "~"), len(text) - 1)
            text = text[end + 1 :]
        else:
            found.append(text[0])
            text = text[1:]
    return found
