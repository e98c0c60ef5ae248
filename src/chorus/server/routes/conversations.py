"""Conversations: the list, and one of them as a whole."""

from typing import Annotated

from litestar import get
from litestar.params import FromQuery, QueryParameter

from chorus import wire
from chorus.pages.detail import detail
from chorus.server.listing import listed
from chorus.server.naming import ONE, Whose, read
from chorus.server.served import Here

_Start = Annotated[int, QueryParameter(ge=0, le=1 << 31)]
_Limit = Annotated[int, QueryParameter(ge=1, le=100)]


@get("/api/conversations")
async def conversations(
    served: Here, q: FromQuery[str] = "", start: _Start = 0, limit: _Limit = 50
) -> wire.ConversationList:
    """Those that answer the query, the one that went on last first."""
    return await served.readers.run(
        lambda index: listed(index, served.vault, served.summaries, q, start=start, limit=limit)
    )


@get(ONE)
async def conversation(served: Here, whose: Whose) -> wire.ConversationDetail:
    """What stands above and beside a transcript."""
    return await read(served, whose, lambda opened, index: detail(opened, index, served.summaries))
