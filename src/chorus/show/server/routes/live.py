"""The live socket."""

from typing import Any

from litestar import WebSocket, websocket

from chorus.show import wire
from chorus.show.server.context import Here
from chorus.show.server.live.socket import converse


@websocket("/api/live", opt={"said": wire.Said, "told": wire.Told})
async def live(served: Here, socket: WebSocket[Any, Any, Any]) -> None:
    """Tells what changes, as it changes. See the frames."""
    await converse(served, socket)
