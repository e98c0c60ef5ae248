"""Handles one live socket, from its hello to its end."""

import asyncio
from typing import Any

from litestar import WebSocket
from litestar.exceptions import WebSocketDisconnect

from chorus.show import wire
from chorus.show.server.context import ServerContext
from chorus.show.server.edge.edge import login_of
from chorus.show.server.edge.limits import Limits
from chorus.show.server.errors import Refused
from chorus.show.server.live import close_codes
from chorus.show.server.live.client import Client
from chorus.show.server.live.hub import Hub
from chorus.show.server.live.teller import decode_said

_WATCH_S = 0.5


class _Ended(Exception):  # noqa: N818 - no error
    """Raised in order to close the socket with `code`."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


async def serve_socket(server: ServerContext, socket: WebSocket[Any, Any, Any]) -> None:
    """Sends changes to the socket until one side closes it."""
    await socket.accept()
    try:
        client = await _greet(server, socket)
    except _Ended as ended:
        await _close(socket, ended.code)
        return
    except (WebSocketDisconnect, OSError):
        return
    code: int | None = None
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(_send(client, socket))
            group.create_task(_receive(client, server.hub, socket))
            group.create_task(_watch(client))
    except* _Ended as ended:
        code = _first(ended).code
    except* (WebSocketDisconnect, OSError):
        pass
    finally:
        server.hub.leave(client)
    if code is not None:
        await _close(socket, code)


async def _greet(server: ServerContext, socket: WebSocket[Any, Any, Any]) -> Client:
    """Waits for the hello of a socket, checks its ticket against the login, and joins the hub."""
    try:
        said = await asyncio.wait_for(_next_frame(socket, server.limits), server.limits.hello_s)
    except TimeoutError:
        raise _Ended(close_codes.MISUSED) from None
    if not isinstance(said, wire.Hello):
        raise _Ended(close_codes.MISUSED)
    login = login_of(socket.scope)
    if not server.tickets.take(said.ticket, login):
        raise _Ended(close_codes.LOGGED_OUT)
    try:
        return server.hub.join(login, said)
    except Refused:
        raise _Ended(close_codes.TRY_AGAIN) from None


async def _next_frame(socket: WebSocket[Any, Any, Any], limits: Limits) -> wire.PageFrame:
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(detail="gone")
    text = message.get("text")
    said = decode_said(text) if isinstance(text, str) and len(text) <= limits.frame_bytes else None
    if said is None:
        raise _Ended(close_codes.MISUSED)
    return said


async def _send(client: Client, socket: WebSocket[Any, Any, Any]) -> None:
    while (frame := await client.next()) is not None:
        await socket.send({"type": "websocket.send", "text": frame.text, "bytes": None})
        client.sent()
    raise _Ended(client.ending or close_codes.DONE)


async def _receive(client: Client, hub: Hub, socket: WebSocket[Any, Any, Any]) -> None:
    while True:
        said = await _next_frame(socket, client.limits)
        if not isinstance(said, wire.Follow):
            raise _Ended(close_codes.MISUSED)
        hub.follow(client, said.conversations)


async def _watch(client: Client) -> None:
    """Ends a socket that is stalled, or that is to be closed but cannot send."""
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
