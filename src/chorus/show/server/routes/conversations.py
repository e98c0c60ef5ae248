"""Routes for conversations: the list, the details of one, and its annotations."""

from typing import Annotated

from litestar import get, post
from litestar.params import FromQuery, JSONBody, QueryParameter

from chorus.show import wire
from chorus.show.server.context import Context
from chorus.show.server.errors import not_found
from chorus.show.server.services import annotations
from chorus.show.server.services.addresses import ONE, ConversationName, read
from chorus.show.server.services.listing import Order, conversation_facets, list_conversations
from chorus.show.transcripts.detail import detail

_Start = Annotated[int, QueryParameter(ge=0, le=1 << 31)]
_Limit = Annotated[int, QueryParameter(ge=1, le=100)]


@get("/api/conversations")
async def conversations(
    server: Context,
    q: FromQuery[str] = "",
    start: _Start = 0,
    limit: _Limit = 50,
    order: FromQuery[Order] = "time",
    rising: FromQuery[bool] = False,  # noqa: FBT002 - a parameter of the address
) -> wire.ConversationList:
    """Returns the conversations that match the query; the most recent, or the highest value of `order`, comes first."""
    return await server.readers.run(
        lambda index: list_conversations(
            index, server.vault, server.summaries, q, start=start, limit=limit, order=order, is_rising=rising
        )
    )


@get("/api/facets")
async def facets(server: Context, q: FromQuery[str] = "") -> wire.ConversationFacets:
    """Returns how many conversations match the query, counted by workspace, status and tag."""
    return await server.readers.run(lambda index: conversation_facets(index, server.vault, q))


@get(ONE)
async def conversation(server: Context, conversation_name: ConversationName) -> wire.ConversationDetail:
    """Returns the details of a conversation that are shown around its transcript."""
    return await read(server, conversation_name, lambda opened, index: detail(opened, index, server.summaries))


@post(f"{ONE}/annotation", status_code=204)
async def annotate(server: Context, conversation_name: ConversationName, data: JSONBody[wire.AnnotationAsked]) -> None:
    """Changes title, star, archive flag, tags or note of a conversation. The recorded data stays as it is."""
    if await server.readers.run(lambda index: index.conversation(conversation_name)) is None:
        raise not_found("There is no such conversation; it may have been forgotten.")
    await server.readers.in_thread(lambda: annotations.annotate(server.vault, conversation_name, data))
    server.hub.annotations_changed()


@get(f"{ONE}/leaving")
async def leaving(server: Context, conversation_name: ConversationName) -> wire.Leaving:
    """Returns what would be deleted if the conversation were forgotten."""
    return await server.readers.in_thread(lambda: annotations.leaving(server.vault, conversation_name))


@post(f"{ONE}/forget", status_code=204)
async def forget(server: Context, conversation_name: ConversationName, data: JSONBody[wire.ForgettingAsked]) -> None:
    """Deletes a conversation from the vault permanently, unless it changed since the person saw it."""
    await server.readers.in_thread(lambda: annotations.forget_one(server.vault, conversation_name, data))
