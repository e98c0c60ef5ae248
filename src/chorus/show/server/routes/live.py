"""The routes of the live socket and of the socket for phones."""

from typing import Any

from litestar import WebSocket, websocket

from chorus.show.server.context import Context
from chorus.show.server.live.phone_socket import serve_phone
from chorus.show.server.live.socket import serve_socket


@websocket("/api/live")
async def live(server: Context, socket: WebSocket[Any, Any, Any]) -> None:
    """Sends changes as they happen. The frames are `PageFrame` and `ServerFrame`."""
    await serve_socket(server, socket)


@websocket("/api/mobile")
async def mobile(server: Context, socket: WebSocket[Any, Any, Any]) -> None:
    """Speaks `chorus.mobile.v1` with a phone, which sends `MobileSaid` and receives `MobileFrame`."""
    await serve_phone(server, socket)
