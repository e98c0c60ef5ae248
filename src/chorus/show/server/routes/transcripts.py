"""Routes for a transcript: pages of rows, the outline, and the records behind the rows."""

from typing import Annotated

from litestar import get
from litestar.params import FromQuery, QueryParameter
from litestar.response import Response

from chorus.show import wire
from chorus.show.server.context import Context
from chorus.show.server.services.addresses import ONE, ConversationName, read
from chorus.show.server.services.blobs import attachment, picture
from chorus.show.server.services.queries import Deadline
from chorus.show.server.services.queries import read as read_query
from chorus.show.transcripts import find_in_conversation, locating, places
from chorus.show.transcripts.outline import outline as outlined
from chorus.show.transcripts.page import page, whole_row

_Text = Annotated[str, QueryParameter(max_length=4_096)]
_Optional = Annotated[str | None, QueryParameter(max_length=4_096)]
_Id = Annotated[str, QueryParameter(name="id", max_length=4_096)]
_Name = Annotated[str, QueryParameter(name="name", max_length=4_096)]
_Limit = Annotated[int, QueryParameter(ge=1, le=200)]
_Place = Annotated[int, QueryParameter(ge=0, le=1 << 53)]
_Branches = Annotated[list[str] | None, QueryParameter(name="branch", max_items=64)]
_BYTES = "application/octet-stream"


@get(f"{ONE}/rows")
async def rows(
    server: Context,
    conversation_name: ConversationName,
    thread: _Text = "",
    after: _Optional = None,
    before: _Optional = None,
    around: _Optional = None,
    at: _Optional = None,
    limit: _Limit = 50,
    internal: FromQuery[bool] = False,  # noqa: FBT002 - a parameter of the address
    branches: _Branches = None,
    call: _Optional = None,
) -> wire.Page:
    """Returns a page of rows: after, before or around a cursor, around an item (`at`), or at the end of the thread.

    An empty `after` begins at the start. With `call`, only rows that this call caused in the thread of a resumed agent.
    """
    return await read(
        server,
        conversation_name,
        lambda opened, index: page(
            opened,
            index,
            thread=thread,
            after=after,
            before=before,
            around=around,
            at=at,
            limit=limit,
            internal=internal,
            branches=tuple(branches or ()),
            call=call,
        ),
    )


@get(f"{ONE}/row")
async def row(server: Context, conversation_name: ConversationName, wanted: _Id) -> wire.PageRow:
    """Returns one row, complete."""
    return await read(server, conversation_name, lambda opened, index: whole_row(opened, index, wanted))


@get(f"{ONE}/outline")
async def outline(server: Context, conversation_name: ConversationName, thread: _Text = "") -> wire.Outline:
    """Returns what the scrollbar shows, and the places to jump to."""
    return await read(server, conversation_name, lambda opened, index: outlined(opened, index, thread))


@get(f"{ONE}/locate")
async def locate(server: Context, conversation_name: ConversationName, wanted: _Id) -> wire.Located:
    """Returns where an item is, by its id or by the id of a tool call, message or background task."""
    return await read(server, conversation_name, lambda opened, index: locating.locate(opened, index, wanted))


@get(f"{ONE}/find")
async def find(
    server: Context,
    conversation_name: ConversationName,
    q: FromQuery[str],
    thread: _Optional = None,
    start: _Place = 0,
    after: _Optional = None,
) -> wire.FoundInConversation:
    """Returns the places of the conversation that match a query, in order; `after` continues where time ran out."""
    query = read_query(q)
    return await read(
        server,
        conversation_name,
        lambda opened, index: find_in_conversation.find_in(
            opened, index, query, thread=thread, start=start, after=after, is_late=Deadline()
        ),
    )


@get(f"{ONE}/record", opt={"answer": wire.RawRecord, "bytes": _BYTES})
async def record(
    server: Context,
    conversation_name: ConversationName,
    stream: _Text,
    at: _Place,
    download: FromQuery[bool] = False,  # noqa: FBT002
) -> Response[wire.RawRecord] | Response[bytes]:
    """Returns a record as it was captured; with `download`, its exact bytes."""
    if download:
        data = await read(server, conversation_name, lambda opened, _: places.record_bytes(opened, stream, at))
        return attachment(data, f"{conversation_name.rpartition('/')[2]}-{stream}-{at}.json")
    return Response(await read(server, conversation_name, lambda opened, _: places.record(opened, stream, at)))


@get(f"{ONE}/image", opt={"bytes": "image/*"})
async def image(
    server: Context, conversation_name: ConversationName, stream: _Text, at: _Place, nth: _Place = 0
) -> Response[bytes]:
    """Returns the n-th image of a record, if its format can be shown."""
    return picture(await read(server, conversation_name, lambda opened, _: places.image(opened, stream, at, nth)))


@get(f"{ONE}/side-file", opt={"answer": wire.TextPiece, "bytes": _BYTES})
async def side_file(
    server: Context,
    conversation_name: ConversationName,
    named: _Name,
    start: _Place = 0,
    download: FromQuery[bool] = False,  # noqa: FBT002
) -> Response[wire.TextPiece] | Response[bytes]:
    """Returns a piece of a side file, such as a long output; with `download`, all of it."""
    if download:
        return attachment(
            await read(server, conversation_name, lambda opened, _: places.side_file_bytes(opened, named)), named
        )
    return Response(await read(server, conversation_name, lambda opened, _: places.side_file(opened, named, start)))
