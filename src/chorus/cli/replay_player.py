"""Plays a replay in the terminal."""

import shutil
import time
from collections.abc import Callable

from chorus.cli.full_screen import full_screen, write
from chorus.cli.replay_keys import ESCAPE, HELP, HELP_LINES, QUIT, keys, press
from chorus.cli.replay_screen import Screen, redraw, screen_size
from chorus.core.replay.player import Player

_DRAW_S = 0.05
_IDLE_S = 0.5
"""How long the player waits for a key before it looks at the size of the terminal again."""


def play(player: Player, screen_of: Callable[[int, int], Screen]) -> None:
    """Play until the person ends it. `screen_of` returns the screen for a width and a height."""
    screen: Screen | None = None
    before: list[str] | None = None
    has_help = False
    with full_screen(), keys() as pressed:
        reached = time.monotonic()
        while True:
            size = shutil.get_terminal_size()
            if screen is None or (screen.width, screen.height) != screen_size(size.columns, size.lines):
                screen, before = screen_of(size.columns, size.lines), None
            after = screen.lines(player)
            if has_help:
                after = _with_help(after, screen.width)
            write(redraw(before, after))
            before = after
            for key in pressed(_wait(player)):
                if key in QUIT and not (has_help and key == ESCAPE):
                    return
                if key == HELP or has_help:
                    has_help = key == HELP and not has_help
                    continue
                press(player, key)
            now = time.monotonic()
            player.advance(now - reached)
            reached = now


def _wait(player: Player) -> float:
    left = player.seconds_to_next()
    if left is None:
        return _IDLE_S
    return min(max(left, _DRAW_S / 2), _DRAW_S if player.replay.growths else _IDLE_S / 2)


def _with_help(lines: list[str], width: int) -> list[str]:
    shown = [line[: max(0, width - 1)] for line in HELP_LINES]
    room = len(lines) - 2
    return [*shown[:room], *lines[len(shown[:room]) :]] if room > 0 else lines
