"""One live socket, from its hello to its end."""

import asyncio
from typing import Any

from litestar import WebSocket
from litestar.exceptions import WebSocketDisconnect

from chorus.show import wire
from chorus.show.server.context import Served
from chorus.show.server.edge.edge import login_of
from chorus.show.server.edge.limits import Limits
from chorus.show.server.errors import Refused
from chorus.show.server.live import close_codes
from chorus.show.server.live.client import Client
from chorus.show.server.live.hub import Hub
from chorus.show.server.live.teller import decode_said

_WATCH_S = 0.5


class _Ended(Exception):  # noqa: N818 - no error
    """It is time to close."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


async def converse(served: Served, socket: WebSocket[Any, Any, Any]) -> None:
    """Tell the socket what changes, until one side ends it."""
    await socket.accept()
    try:
        client = await _greet(served, socket)
    except _Ended as ended:
        await _close(socket, ended.code)
        return
    except (WebSocketDisconnect, OSError):
        return
    code: int | None = None
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(_tell(client, socket))
            group.create_task(_hear(client, served.hub, socket))
            group.create_task(_watch(client))
    except* _Ended as ended:
        code = _first(ended).code
    except* (WebSocketDisconnect, OSError):
        pass
    finally:
        served.hub.leave(client)
    if code is not None:
        await _close(socket, code)


async def _greet(served: Served, socket: WebSocket[Any, Any, Any]) -> Client:
    """The hello of a socket, with a ticket that was given to the same session."""
    try:
        said = await asyncio.wait_for(_said(socket, served.limits), served.limits.hello_s)
    except TimeoutError:
        raise _Ended(close_codes.MISUSED) from None
    if not isinstance(said, wire.Hello):
        raise _Ended(close_codes.MISUSED)
    login = login_of(socket.scope)
    if not served.tickets.take(said.ticket, login):
        raise _Ended(close_codes.LOGGED_OUT)
    try:
        return served.hub.join(login, said)
    except Refused:
        raise _Ended(close_codes.TRY_AGAIN) from None


async def _said(socket: WebSocket[Any, Any, Any], limits: Limits) -> wire.Said:
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(detail="gone")
    text = message.get("text")
    said = decode_said(text) if isinstance(text, str) and len(text) <= limits.frame_bytes else None
    if said is None:
        raise _Ended(close_codes.MISUSED)
    return said


async def _tell(client: Client, socket: WebSocket[Any, Any, Any]) -> None:
    while (frame := await client.next()) is not None:
        await socket.send({"type": "websocket.send", "text": frame.text, "bytes": None})
        client.sent()
    raise _Ended(client.ending or close_codes.DONE)


async def _hear(client: Client, hub: Hub, socket: WebSocket[Any, Any, Any]) -> None:
    while True:
        said = await _said(socket, client.limits)
        if not isinstance(said, wire.Follow):
            raise _Ended(close_codes.MISUSED)
        hub.follow(client, said.conversations)


async def _watch(client: Client) -> None:
    """End a socket that takes nothing, or is to be closed while it takes nothing."""
    while True:
        await asyncio.sleep(_WATCH_S)
        if client.is_stalled:
            raise _Ended(close_codes.TRY_AGAIN)
        if client.ending is not None:
            await asyncio.sleep(_WATCH_S)
            raise _Ended(client.ending)


async def _close(socket: WebSocket[Any, Any, Any], code: int) -> None:
    try:
        await socket.close(code)
    except (WebSocketDisconnect, OSError, RuntimeError):
        return


def _first(group: BaseExceptionGroup[_Ended]) -> _Ended:
    found = group.exceptions[0]
    return found if isinstance(found, _Ended) else _first(found)
