"""Routes for searching all conversations, and for completions while a query is typed."""

from typing import Annotated

from litestar import get
from litestar.params import FromQuery, QueryParameter

from chorus.show import wire
from chorus.show.server.context import Context
from chorus.show.server.services.completions import completions
from chorus.show.server.services.search import search_all

_Limit = Annotated[int, QueryParameter(ge=1, le=100)]
_Optional = Annotated[int | None, QueryParameter(ge=0, le=1 << 62)]


@get("/api/search")
async def search(
    server: Context,
    q: FromQuery[str],
    below: _Optional = None,
    rank: FromQuery[bool] = False,  # noqa: FBT002 - a parameter of the address
    limit: _Limit = 20,
) -> wire.SearchAnswer:
    """Returns entries that match the query, newest first, or with `rank` the best of the newest; `below` continues."""
    return await server.readers.run(
        lambda index: search_all(index, server.vault, server.summaries, q, below=below, is_ranked=rank, limit=limit)
    )


@get("/api/complete")
async def complete(server: Context, q: FromQuery[str] = "", at: _Optional = None) -> wire.Completions:
    """Returns what may be typed at a position of a query, and what is wrong with the query as it is."""
    return await server.readers.run(lambda index: completions(index, server.vault, q, len(q) if at is None else at))
