"""The live socket."""

from typing import Any

from litestar import WebSocket, websocket

from chorus import wire
from chorus.server.live import converse
from chorus.server.served import Here


@websocket("/api/live", opt={"said": wire.Said, "told": wire.Told})
async def live(served: Here, socket: WebSocket[Any, Any, Any]) -> None:
    """Tells what changes, as it changes. See the frames."""
    await converse(served, socket)
