"""A minimal server for comparison: `python -m bench.bare FILE` sends each new line of a file to every socket."""

import asyncio
import sys
from pathlib import Path

from watchfiles import awatch
from websockets.asyncio.server import ServerConnection, broadcast, serve

from chorus.keep.sources.watcher import DEBOUNCE_MS, STEP_MS


async def run(path: Path) -> None:
    """Follows the file with the watcher that Chorus uses, until the process is stopped."""
    sockets: set[ServerConnection] = set()

    async def hold(socket: ServerConnection) -> None:
        sockets.add(socket)
        await socket.wait_closed()

    async with serve(hold, "127.0.0.1", 0, compression=None) as server:
        print(next(iter(server.sockets)).getsockname()[1], flush=True)
        with path.open("rb") as file:
            async for _ in awatch(path, step=STEP_MS, debounce=DEBOUNCE_MS):
                for line in file:
                    broadcast(sockets, line.decode())


if __name__ == "__main__":
    asyncio.run(run(Path(sys.argv[1])))
