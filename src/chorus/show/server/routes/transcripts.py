"""A transcript: pages of rows, what to jump to, and the records below them."""

from typing import Annotated

from litestar import get
from litestar.params import FromQuery, QueryParameter
from litestar.response import Response

from chorus.show import wire
from chorus.show.server.context import Here
from chorus.show.server.services.addresses import ONE, Whose, read
from chorus.show.server.services.blobs import attachment, picture
from chorus.show.server.services.queries import Late
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
    served: Here,
    whose: Whose,
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
    """A page of rows: after, before or around a cursor, around an item (`at`), or the end of the thread.

    An empty `after` begins at the start. With `call`, what that call led to in the thread of a resumed agent.
    """
    return await read(
        served,
        whose,
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
async def row(served: Here, whose: Whose, wanted: _Id) -> wire.PageRow:
    """One row, with nothing cut off."""
    return await read(served, whose, lambda opened, index: whole_row(opened, index, wanted))


@get(f"{ONE}/outline")
async def outline(served: Here, whose: Whose, thread: _Text = "") -> wire.Outline:
    """What the scrollbar shows, and where one can jump to."""
    return await read(served, whose, lambda opened, index: outlined(opened, index, thread))


@get(f"{ONE}/locate")
async def locate(served: Here, whose: Whose, wanted: _Id) -> wire.Located:
    """Where something is, by its id or by that of a tool call, message or background task."""
    return await read(served, whose, lambda opened, index: locating.locate(opened, index, wanted))


@get(f"{ONE}/find")
async def find(
    served: Here, whose: Whose, q: FromQuery[str], thread: _Optional = None, start: _Place = 0, after: _Optional = None
) -> wire.FoundInConversation:
    """Places of the conversation that answer a query, in its order; `after` goes on where time ran out."""
    query = read_query(q)
    return await read(
        served,
        whose,
        lambda opened, index: find_in_conversation.find_in(
            opened, index, query, thread=thread, start=start, after=after, is_late=Late()
        ),
    )


@get(f"{ONE}/record", opt={"answer": wire.RawRecord, "bytes": _BYTES})
async def record(
    served: Here,
    whose: Whose,
    stream: _Text,
    at: _Place,
    download: FromQuery[bool] = False,  # noqa: FBT002
) -> Response[wire.RawRecord] | Response[bytes]:
    """A record as it was captured; with `download` its exact bytes."""
    if download:
        data = await read(served, whose, lambda opened, _: places.record_bytes(opened, stream, at))
        return attachment(data, f"{whose.rpartition('/')[2]}-{stream}-{at}.json")
    return Response(await read(served, whose, lambda opened, _: places.record(opened, stream, at)))


@get(f"{ONE}/image", opt={"bytes": "image/*"})
async def image(served: Here, whose: Whose, stream: _Text, at: _Place, nth: _Place = 0) -> Response[bytes]:
    """The n-th image of a record, if it is one that can be shown."""
    return picture(await read(served, whose, lambda opened, _: places.image(opened, stream, at, nth)))


@get(f"{ONE}/side-file", opt={"answer": wire.TextPiece, "bytes": _BYTES})
async def side_file(
    served: Here,
    whose: Whose,
    named: _Name,
    start: _Place = 0,
    download: FromQuery[bool] = False,  # noqa: FBT002
) -> Response[wire.TextPiece] | Response[bytes]:
    """A long output that lies in a file of its own, piece by piece; with `download` all of it."""
    if download:
        return attachment(await read(served, whose, lambda opened, _: places.side_file_bytes(opened, named)), named)
    return Response(await read(served, whose, lambda opened, _: places.side_file(opened, named, start)))
