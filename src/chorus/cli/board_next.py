"""Leads the person at a terminal to the conversations that need them, one after the other."""

from collections.abc import Callable, Iterable

from chorus.core.board.board import needing_you
from chorus.core.board.tiles import Tile
from chorus.core.views.safe import safe_line

KEYS = frozenset("nN")
NOTHING = "nothing needs you"
_SHORT = 8


class NextOne:
    """Remembers which conversation was shown last."""

    def __init__(self, go_to: Callable[[str], str | None]) -> None:
        """`go_to` shows the pane of a session, and returns what it did; None if there is no pane."""
        self._go_to = go_to
        self._last: str | None = None

    def go(self, tiles: Iterable[Tile]) -> str:
        """Go to the next conversation that needs a person; return where it is, or how to get there, on one line."""
        waiting = needing_you(tiles)
        if not waiting:
            return NOTHING
        names = [tile.name for tile in waiting]
        tile = waiting[(names.index(self._last) + 1) % len(names) if self._last in names else 0]
        self._last = tile.name
        return safe_line(f"{self._go_to(tile.id) or _command(tile)} · {tile.title}")


def _command(tile: Tile) -> str:
    """Return the command with which a conversation outside of tmux is answered."""
    request = next((reason.request for reason in tile.reasons if reason.request), None)
    if request is not None:
        return f"chorus approve {request[:_SHORT]}"
    if tile.run is not None:
        return f"chorus attach {tile.run.id}"
    return f"answer {tile.id[:_SHORT]} in its own terminal"
