"""Search across everything, and help while a query is typed."""

from typing import Annotated

from litestar import get
from litestar.params import FromQuery, QueryParameter

from chorus.show import wire
from chorus.show.server.context import Here
from chorus.show.server.services.completions import completions
from chorus.show.server.services.search import searched

_Limit = Annotated[int, QueryParameter(ge=1, le=100)]
_Optional = Annotated[int | None, QueryParameter(ge=0, le=1 << 62)]


@get("/api/search")
async def search(
    served: Here,
    q: FromQuery[str],
    below: _Optional = None,
    rank: FromQuery[bool] = False,  # noqa: FBT002 - a parameter of the address
    limit: _Limit = 20,
) -> wire.SearchAnswer:
    """Entries that answer the query, newest first, or the best of the newest with `rank`; `below` goes on."""
    return await served.readers.run(
        lambda index: searched(index, served.vault, served.summaries, q, below=below, is_ranked=rank, limit=limit)
    )


@get("/api/complete")
async def complete(served: Here, q: FromQuery[str] = "", at: _Optional = None) -> wire.Completions:
    """What may be typed at a place of a query, and what is wrong with it as it stands."""
    return await served.readers.run(lambda index: completions(index, served.vault, q, len(q) if at is None else at))
