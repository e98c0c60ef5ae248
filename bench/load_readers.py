"""Readers of many live sessions and one that searches, in one process: `python -m bench.load_readers`.

The first line of standard input is the job. For each further line, the figures since the last one are printed as one
line of JSON.
"""

import asyncio
import http.client
import json
import sys
import threading
import time
from typing import Any

from websockets import Origin
from websockets.asyncio.client import connect

from bench.listening import MARK

_SEARCH_S = 0.25
WORDS = ("words", "output", "several words", "part 12", "tool:Bash", "answer -output")


class Heard:
    """What all readers received since the last window; a line counts when the first reader has it."""

    def __init__(self) -> None:
        self.lags_ms: list[float] = []
        self.searches_ms: list[float] = []
        self.gaps = 0
        self._seen: set[int] = set()
        self._lock = threading.Lock()

    def take(self, text: str) -> None:
        now = time.time_ns()
        if text.startswith('{"type":"gap"'):
            self.gaps += 1
        with self._lock:
            for mark in map(int, set(MARK.findall(text))):
                if mark not in self._seen:
                    self._seen.add(mark)
                    self.lags_ms.append((now - mark) / 1e6)

    def window(self) -> dict[str, Any]:
        with self._lock:
            lags, self.lags_ms = sorted(self.lags_ms), []
            searches, self.searches_ms = sorted(self.searches_ms), []
        return {
            "heard": len(lags),
            "p50_ms": _at(lags, 0.5),
            "p99_ms": _at(lags, 0.99),
            "search_p99_ms": _at(searches, 0.99),
            "gaps": self.gaps,
        }


def _at(values: list[float], share: float) -> float:
    return values[min(len(values) - 1, int(len(values) * share))] if values else 0.0


async def read(job: dict[str, Any], hello: str, heard: Heard, joined: list[str], ready: asyncio.Event) -> None:
    headers = {"Cookie": job["cookie"]}
    async with connect(
        job["url"],
        origin=Origin(job["origin"]),
        additional_headers=headers,
        compression=None,
        proxy=None,
        max_size=None,
    ) as socket:
        await socket.send(hello)
        await socket.recv()
        joined.append(hello)
        if len(joined) == len(job["hellos"]):
            ready.set()
        async for text in socket:
            heard.take(str(text))


def search(job: dict[str, Any], heard: Heard) -> None:
    """Searches repeatedly, like a person who types."""
    connection = http.client.HTTPConnection("127.0.0.1", job["port"], timeout=60)
    headers = {"Cookie": job["cookie"], "Origin": job["origin"], "X-Chorus": "1", "Sec-Fetch-Site": "same-origin"}
    n = 0
    while True:
        words = WORDS[n % len(WORDS)].replace(" ", "+")
        n += 1
        began = time.perf_counter()
        connection.request("GET", f"/api/search?q={words}", headers=headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise SystemExit(f"search: {answer.status}")
        heard.searches_ms.append((time.perf_counter() - began) * 1e3)
        time.sleep(_SEARCH_S)


async def run(job: dict[str, Any]) -> None:
    heard, ready, joined = Heard(), asyncio.Event(), list[str]()
    async with asyncio.TaskGroup() as group:
        for hello in job["hellos"]:
            group.create_task(read(job, hello, heard, joined, ready))
        await asyncio.wait_for(ready.wait(), 60)
        threading.Thread(target=search, args=(job, heard), daemon=True).start()
        print("ready", flush=True)
        while await asyncio.to_thread(sys.stdin.readline):
            print(json.dumps(heard.window()), flush=True)
        raise SystemExit


if __name__ == "__main__":
    asyncio.run(run(json.loads(sys.stdin.readline())))
