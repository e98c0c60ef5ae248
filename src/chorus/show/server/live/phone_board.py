"""What a phone is sent of the board: all that needs a person and all that works, and the newest of the rest."""

from collections.abc import Iterable

from chorus.core.board.board import in_order
from chorus.core.board.columns import Column
from chorus.core.board.tiles import Tile
from chorus.show.board.board_reader import BoardState
from chorus.show.server.live.phone_feed import PhoneFeed
from chorus.show.wire.mobile.board import MobileBoard, MobileColumn, mobile_tile
from chorus.show.wire.mobile.encoder import Encoded
from chorus.show.wire.mobile.outgoing import MobileSent

MAX_OTHERS = 20
"""How many tiles of each of the other columns are sent."""


class PhoneBoard:
    """The board of one phone. Tiles are compared with what the phone has; the order is sent when a tile came or went,
    so that nothing moves under a thumb only because somebody wrote a line."""

    def __init__(self) -> None:
        self._seen: BoardState | None = None
        self._members: list[tuple[Column, int, frozenset[str]]] = []

    def news(self, state: BoardState, feed: PhoneFeed) -> list[MobileSent]:
        """Returns what changed since the last call; a state that was looked at before costs nothing."""
        if state is self._seen:
            return []
        self._seen = state
        counts = {each.column: each.count for each in state.counts}
        columns = [(column, counts[column], _shown(column, state.tiles.values())) for column in Column]
        tiles = [
            Encoded(f"tile:{each.name}", mobile_tile(each, state.progress.get(each.name)))
            for _, _, shown in columns
            for each in shown
        ]
        members = [(column, count, frozenset(each.name for each in shown)) for column, count, shown in columns]
        if members == self._members:
            return feed.fresh(None, tiles)
        self._members = members
        board = MobileBoard(
            columns=tuple(
                MobileColumn(column=column, count=count, conversations=tuple(each.name for each in shown))
                for column, count, shown in columns
            )
        )
        # The tiles come first: a phone that stores a column has all that it names.
        return feed.fresh(None, [*tiles, Encoded("board", board)])


def _shown(column: Column, tiles: Iterable[Tile]) -> list[Tile]:
    mine = in_order(each for each in tiles if each.column is column)
    return mine if column in (Column.NEEDS_YOU, Column.WORKING) else mine[:MAX_OTHERS]
