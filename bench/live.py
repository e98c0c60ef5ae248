"""The live socket under load: compares sending the lines of a growing session to many sockets with a minimal server."""

import http.client
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from bench.measure import Figure
from chorus.keep.vault.keys import workspace_id
from chorus.testing.builders import Session, encode_all
from tests.e2e.support.serving import Serving

TARGET = 4.0
LISTENERS, RATE, SECONDS = 50, 100, 20
SOME, STALLED = 25, 5
_PATIENCE_S = 60
_PER_LOGIN = 10
"""How many sockets one login may have."""


class Load(NamedTuple):
    """What the listeners received."""

    p50_ms: float
    p99_ms: float
    missing: int
    gaps: int
    breaks: int


def fan_out(seconds: int = SECONDS) -> Iterator[Figure]:
    """Compares the p99 delay from a written line to its row at 50 listeners, then at 20 next to 5 that read nothing,
    with a minimal server."""
    for what, listeners, stalled in (("", LISTENERS, 0), (", 5 of 25 stalled", SOME, STALLED)):
        ours = _ours(listeners, stalled, seconds)
        bare = _bare(listeners, stalled, seconds)
        ratio = ours.p99_ms / bare.p99_ms
        detail = (
            f"{listeners} × {RATE}/s: p50/p99 {ours.p50_ms:.0f}/{ours.p99_ms:.0f} ms from the file, "
            f"bare {bare.p50_ms:.1f}/{bare.p99_ms:.1f} ms; missing {ours.missing}, gaps {ours.gaps}, "
            f"out of order {ours.breaks}"
        )
        is_met = ratio <= TARGET and not ours.missing and not ours.breaks
        yield Figure(f"live fan-out against a bare one{what}", ratio, f"≤ {TARGET:g}", is_met, detail)


def _ours(listeners: int, stalled: int, seconds: int) -> Load:
    with tempfile.TemporaryDirectory() as folder:
        serving = Serving(Path(folder))
        talk = Session()
        talk.user("begin")
        path = serving.write(talk)[0]
        serving.start()
        try:
            # The first line makes the index open the conversation, which another figure measures.
            serving.append(path, [talk.user("warm")])
            doors = [Door(serving, link) for link in _links(serving, listeners)]
            hello = {"type": "hello", "follow": [f"{workspace_id(talk.cwd)}/main/{talk.id}"]}
            job = {
                "url": f"ws://127.0.0.1:{serving.port}/api/live",
                "origin": serving.url,
                "cookies": [doors[n // _PER_LOGIN].cookie for n in range(listeners)],
                "hellos": [json.dumps(hello | {"ticket": doors[n // _PER_LOGIN].ticket()}) for n in range(listeners)],
            }
            with _listening(job, listeners, stalled, seconds) as finish:

                def write(n: int) -> None:
                    serving.append(path, [talk.user(f"line {n} mark={time.time_ns()}")])

                _steadily(write, seconds)
                return finish()
        finally:
            serving.kill()


def _bare(listeners: int, stalled: int, seconds: int) -> Load:
    """Measures the same lines with a server that only sends them: it stores, parses and orders nothing."""
    with tempfile.TemporaryDirectory() as folder:
        talk, path = Session(), Path(folder, "session.jsonl")
        path.write_bytes(b"")
        call = [sys.executable, "-m", "bench.bare", str(path)]
        with subprocess.Popen(call, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            port = int(server.stdout.readline())
            job: dict[str, Any] = {"url": f"ws://127.0.0.1:{port}/", "origin": None, "cookies": [], "hellos": []}

            def write(n: int) -> None:
                with path.open("ab") as file:
                    file.write(encode_all([talk.user(f"line {n} mark={time.time_ns()}")]))

            try:
                with _listening(job, listeners, stalled, seconds) as finish:
                    _steadily(write, seconds)
                    return finish()
            finally:
                server.terminate()


@contextmanager
def _listening(job: dict[str, Any], listeners: int, stalled: int, seconds: int) -> Iterator[Callable[[], Load]]:
    """Runs listeners in another process; yields a function that returns what they received."""
    whole = job | {"listeners": listeners, "stalled": stalled, "seconds": _PATIENCE_S, "marks": RATE * seconds}
    call = [sys.executable, "-m", "bench.listening"]
    with subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(whole) + "\n")
        process.stdin.flush()
        assert process.stdout.readline() == "ready\n"
        out = process.stdout

        def finish() -> Load:
            told = json.loads(out.readline())
            lags = told["lags_ms"]
            missing = RATE * seconds * len(told["marks"]) - sum(told["marks"])
            return Load(lags[len(lags) // 2], lags[int(len(lags) * 0.99)], missing, told["gaps"], told["breaks"])

        yield finish
        process.wait()


def _steadily(act: Callable[[int], None], seconds: int) -> None:
    start = time.perf_counter()
    for n in range(RATE * seconds):
        time.sleep(max(0.0, start + n / RATE - time.perf_counter()))
        act(n)


def _links(serving: Serving, listeners: int) -> Iterator[str]:
    yield serving.link
    for _ in range(_PER_LOGIN, listeners, _PER_LOGIN):
        yield serving.new_link()


class Door:
    """Logs in once and requests tickets."""

    def __init__(self, serving: Serving, link: str) -> None:
        self._serving = serving
        self.cookie = ""
        token = link.partition("#t=")[2]
        self.cookie = self._post("/api/login", {"token": token}).getheader("set-cookie", "").partition(";")[0]

    def ticket(self) -> str:
        return str(json.loads(self._post("/api/ticket").read())["ticket"])

    def get(self, path: str) -> int:
        """Sends a GET request and returns the status of the answer."""
        with closing(http.client.HTTPConnection("127.0.0.1", self._serving.port, timeout=_PATIENCE_S)) as connection:
            connection.request("GET", path, headers={"Cookie": self.cookie})
            answer = connection.getresponse()
            answer.read()
            return answer.status

    def _post(self, path: str, value: Any = None) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self._serving.port, timeout=_PATIENCE_S)
        body = b"" if value is None else json.dumps(value).encode()
        headers = {
            "Origin": self._serving.url,
            "X-Chorus": "1",
            "Sec-Fetch-Site": "same-origin",
            "Cookie": self.cookie,
            "Content-Type": "application/json",
        }
        connection.request("POST", path, body, headers)
        return connection.getresponse()
