"""Many listeners of a live socket in one process: `python -m bench.listening` reads its job from standard input.

Frames contain marks (`mark=<time in ns>`), from which the delay is computed. The results are printed at the end as one
line of JSON.
"""

import asyncio
import json
import re
import sys
import time
from typing import Any

from msgspec import Struct
from websockets import Origin
from websockets.asyncio.client import ClientConnection, connect

MARK = re.compile(r"mark=(\d+)")


class Heard(Struct):
    """What one listener received."""

    lags_ms: list[float]
    marks: int = 0
    gaps: int = 0
    breaks: int = 0
    """Frames of the feed that did not begin where the previous frame had ended."""


async def listen(job: dict[str, Any], n: int, heard: Heard, ready: asyncio.Event, joined: list[int]) -> None:
    """Runs one listener until the last mark has arrived or the time is over."""
    seen: set[str] = set()
    seq = None
    headers = {"Cookie": job["cookies"][n]} if job["cookies"] else {}
    origin = Origin(job["origin"]) if job["origin"] else None
    async with connect(
        job["url"], origin=origin, additional_headers=headers, compression=None, proxy=None, max_size=None
    ) as socket:
        if job["hellos"]:
            await socket.send(job["hellos"][n])
            await socket.recv()
        joined.append(n)
        if len(joined) == job["listeners"]:
            ready.set()
        is_stalled = n < job["stalled"]
        if is_stalled:
            await _stall(socket, job["seconds"])
            return
        while len(seen) < job["marks"]:
            text = str(await asyncio.wait_for(socket.recv(), job["seconds"]))
            now = time.time_ns()
            fresh = [mark for mark in MARK.findall(text) if mark not in seen]
            heard.lags_ms += [(now - int(mark)) / 1e6 for mark in fresh]
            seen.update(fresh)
            heard.marks = len(seen)
            if '"type":"gap"' in text[:40]:
                heard.gaps += 1
            if '"type":"changed"' in text[:40]:
                frame = json.loads(text)
                heard.breaks += seq is not None and frame["since"] != seq
                seq = frame["seq"]


async def _stall(socket: ClientConnection, seconds: float) -> None:
    socket.transport.pause_reading()
    await asyncio.sleep(seconds)


async def run(job: dict[str, Any]) -> list[Heard]:
    heard = [Heard([]) for _ in range(job["listeners"])]
    ready, joined = asyncio.Event(), list[int]()

    async def announce() -> None:
        await ready.wait()
        print("ready", flush=True)

    async def one(n: int) -> None:
        try:
            await listen(job, n, heard[n], ready, joined)
        except (TimeoutError, OSError):
            return

    async with asyncio.TaskGroup() as group:
        group.create_task(announce())
        tasks = [group.create_task(one(n)) for n in range(job["listeners"])]
        await asyncio.wait(tasks[job["stalled"] :])
        for task in tasks[: job["stalled"]]:
            task.cancel()
    return heard[job["stalled"] :]


def main() -> None:
    found = asyncio.run(run(json.loads(sys.stdin.readline())))
    told = {
        "lags_ms": sorted(lag for each in found for lag in each.lags_ms),
        "marks": [each.marks for each in found],
        "gaps": sum(each.gaps for each in found),
        "breaks": sum(each.breaks for each in found),
    }
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
