"""Conversations: the list, one of them as a whole, and what a person says about it."""

from typing import Annotated

from litestar import get, post
from litestar.params import FromQuery, JSONBody, QueryParameter

from chorus.show import wire
from chorus.show.server.context import Here
from chorus.show.server.errors import not_found
from chorus.show.server.services import annotations
from chorus.show.server.services.addresses import ONE, Whose, read
from chorus.show.server.services.listing import Order, divided, listed
from chorus.show.transcripts.detail import detail

_Start = Annotated[int, QueryParameter(ge=0, le=1 << 31)]
_Limit = Annotated[int, QueryParameter(ge=1, le=100)]


@get("/api/conversations")
async def conversations(
    served: Here,
    q: FromQuery[str] = "",
    start: _Start = 0,
    limit: _Limit = 50,
    order: FromQuery[Order] = "time",
    rising: FromQuery[bool] = False,  # noqa: FBT002 - a parameter of the address
) -> wire.ConversationList:
    """Those that answer the query, the one that went on last first, or the one with the most of what is asked for."""
    return await served.readers.run(
        lambda index: listed(
            index, served.vault, served.summaries, q, start=start, limit=limit, order=order, is_rising=rising
        )
    )


@get("/api/facets")
async def facets(served: Here, q: FromQuery[str] = "") -> wire.ConversationFacets:
    """How many conversations answer the query, and how they divide."""
    return await served.readers.run(lambda index: divided(index, served.vault, q))


@get(ONE)
async def conversation(served: Here, whose: Whose) -> wire.ConversationDetail:
    """What stands above and beside a transcript."""
    return await read(served, whose, lambda opened, index: detail(opened, index, served.summaries))


@post(f"{ONE}/annotation", status_code=204)
async def annotate(served: Here, whose: Whose, data: JSONBody[wire.AnnotationAsked]) -> None:
    """Renames, stars, archives, tags or describes it. What was recorded stays as it is."""
    if await served.readers.run(lambda index: index.conversation(whose)) is None:
        raise not_found("There is no such conversation; it may have been forgotten.")
    await served.readers.aside(lambda: annotations.annotate(served.vault, whose, data))
    served.hub.annotations_changed()


@get(f"{ONE}/leaving")
async def leaving(served: Here, whose: Whose) -> wire.Leaving:
    """What would go if it were forgotten."""
    return await served.readers.aside(lambda: annotations.leaving(served.vault, whose))


@post(f"{ONE}/forget", status_code=204)
async def forget(served: Here, whose: Whose, data: JSONBody[wire.ForgettingAsked]) -> None:
    """Removes it from the vault for good, if it is still what the person saw."""
    await served.readers.aside(lambda: annotations.forget_one(served.vault, whose, data))
