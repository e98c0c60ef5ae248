"""The board, and what changed on it. Tiles are those of `chorus.core.board`, which the terminal draws too."""

from chorus.core.board.board import ColumnCount, WorkspaceCount
from chorus.core.board.tiles import Tile
from chorus.show.wire.base import Wire


class Board(Wire, frozen=True):
    """The board as it is now."""

    revision: int
    """The number of this state. A frame with changes says from which state it leads to which."""
    tiles: tuple[Tile, ...]
    counts: tuple[ColumnCount, ...]
    workspaces: tuple[WorkspaceCount, ...]
