"""The route of the board."""

from litestar import get

from chorus.show import wire
from chorus.show.server.context import Context


@get("/api/board")
async def board(server: Context) -> wire.Board:
    """Returns all tiles of the board, and how many conversations each column and each workspace has."""
    return await server.board_watcher.board()
